/** `/static/`, and the description of the API, which is one of its files. */
import type { HttpRequest, Reply } from '../http/exchange.ts';
import { answerStatic } from '../http/static-files.ts';
import { problems } from '../problems.ts';
import type { Services } from './services.ts';

/** The key of the file that is made at start-up. */
export const API_DESCRIPTION_KEY = 'openapi.json';

export function readStaticFile(services: Services, request: HttpRequest): Reply {
  return answerFile(services, request, request.pathParameters['filename'] ?? '');
}

export function readApiDescription(services: Services, request: HttpRequest): Reply {
  return answerFile(services, request, API_DESCRIPTION_KEY);
}

function answerFile({ staticFiles }: Services, request: HttpRequest, key: string): Reply {
  const file = staticFiles.find(key);
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
