/** Serves the files of the folder `static`, and generated files, at `/static/`. */
import { operation } from '../api/operation.ts';
import { isRefusal, refuse } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import type { HttpRequest, Reply } from '../http/message.ts';
import { answerStatic, PAGE_HEADERS, prefersPage, type StaticFiles } from '../http/static-files.ts';

/** The page for a missing file repeats no text from the request, because such text could contain a script. */
export const NOT_FOUND_PAGE_KEY = 'not-found.html';

export const staticOperations = {
  readStaticFile: operation({
    method: 'GET',
    path: '/static/{filename}',
    rest: true,
    access: 'public',
    refuses: ['noSuchFile', 'rangeNotSatisfiable', 'preconditionFailed'],
    async handle(services, { path, request }) {
      const answer = await answerFile(services, path.filename, request);
      const isMissing = isRefusal(answer) && answer.refused === 'noSuchFile';
      return isMissing && prefersPage(request.headers.accept)
        ? (await answerBrowser(services.staticFiles, path.filename)) ?? answer
        : answer;
    },
  }),
};

export async function answerFile({ staticFiles }: Services, key: string, request: HttpRequest) {
  const file = await staticFiles.get(key)?.();
  if (file === undefined) {
    return refuse('noSuchFile');
  }
  const answer = answerStatic(file, request);
  return answer === 'precondition-failed' ? refuse('preconditionFailed')
    : 'sizeBytes' in answer ? refuse('rangeNotSatisfiable', answer.sizeBytes)
    : answer;
}

/** Redirects a browser to a folder if only the final slash of the path is missing. */
async function answerBrowser(files: StaticFiles, key: string): Promise<Reply | undefined> {
  if (files.has(`${key}/`)) {
    const location = `/static/${key.split('/').map(encodeURIComponent).join('/')}/`;
    return { status: 302, headers: { 'Location': location, 'Vary': 'Accept' }, body: '' };
  }
  const page = await files.get(NOT_FOUND_PAGE_KEY)?.();
  const headers = { ...PAGE_HEADERS, 'Content-Type': 'text/html; charset=utf-8', 'Vary': 'Accept' };
  return page && { status: 404, headers, body: page.plain.body };
}
