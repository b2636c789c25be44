/** `/static/` */
import type { HttpRequest, Reply } from '../http/exchange.ts';
import { answerStatic } from '../http/static-files.ts';
import { problems } from '../problems.ts';
import type { Services } from './services.ts';

export function readStaticFile({ staticFiles }: Services, request: HttpRequest): Reply {
  const file = staticFiles.find(request.pathParameters['filename'] ?? '');
  if (file === undefined) {
    throw problems.notFound('file');
  }
  const answer = answerStatic(file, request);
  switch (answer.kind) {
    case 'whole':
      return { status: 200, headers: answer.headers, body: answer.body };
    case 'part':
      return { status: 206, headers: answer.headers, body: answer.body };
    case 'not-modified':
      return { status: 304, headers: answer.headers, body: '' };
    case 'unsatisfiable':
      throw problems.rangeNotSatisfiable(answer.sizeBytes);
    case 'precondition-failed':
      throw problems.preconditionFailed();
  }
}
