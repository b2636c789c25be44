/** `/static/`: the files of the folder, and those that were generated at start-up. */
import type { Answers, Response } from '../api/answers.ts';
import { operation } from '../api/operation.ts';
import { parameter } from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import { prefersPage } from '../http/media-types.ts';
import type { HttpRequest, Reply } from '../http/message.ts';
import { answerStatic, toErrorPage, type StaticFiles } from '../http/static-files.ts';
import { text } from '../jsonschema/typed.ts';

/**
 * The key of the page that browsers get for a missing file. It is the same for every address and repeats no
 * part of the request. Its links are whole paths, because it appears at any depth.
 */
export const NOT_FOUND_PAGE_KEY = 'not-found.html';

/** The header fields that only pages have, for the API document. */
export const PAGE_HEADERS = ['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Referrer-Policy'];

type ContentByType = NonNullable<Response['content']>;

const BYTES: ContentByType = { '*/*': { schema: 'binary' } };

/** Every JSON file that the service serves is an object. */
const JSON_FILE: ContentByType = {
  'application/json': { schema: { json: { type: 'object' } }, example: { openapi: '3.0.4' } },
};

/** @param content - The content of a whole file. */
export function fileAnswers(content: ContentByType, pageHeaders: readonly string[] = []): Answers<Reply> {
  const headers = ['ETag', 'Vary', ...pageHeaders];
  return {
    isConditional: true,
    refuses: ['preconditionFailed', 'rangeNotSatisfiable'],
    responses: [
      {
        status: 200, description: 'The file.', headers: [...headers, 'Accept-Ranges', 'Content-Encoding'],
        content,
      },
      {
        status: 206,
        description: 'The part that `Range` asks for, of the file without a content coding.',
        headers: [...headers, 'Accept-Ranges', 'Content-Range'],
        content: BYTES,
      },
      { status: 304, description: 'The client already has this state; no content.', headers },
    ],
    reply: (reply) => reply,
  };
}

const files = fileAnswers({ ...JSON_FILE, ...BYTES }, PAGE_HEADERS);

const redirectToFolder: Response = {
  status: 302,
  description:
    'To the same path with a slash, where that has a page. For browsers: clients whose `Accept` is ' +
    '`text/html`, or begins with `text/html,application/xhtml+xml`. Others get 404.',
  headers: ['Vary'],
  headerExamples: { 'Location': '/static/console/' },
};

export const staticOperations = {
  readStaticFile: operation({
    method: 'GET',
    path: '/static/{filename}',
    takesRest: true,
    parameters: {
      filename: parameter(text({
        minLength: 1,
        description:
          'The path of a file in the static folder, with `/` between its parts. If a client ' +
          'that is generated from this document encodes `/`, no file is found.',
        example: 'index.html',
      })),
    },
    access: 'public',
    tag: 'Service',
    summary: 'Get a static file',
    description:
      'The console, the reference, the page of problems, and the other files that the static folder had at ' +
      'start-up. A path that ends in `/` serves the `index.html` below it. Case matters.',
    answers: { ...files, responses: [...files.responses, redirectToFolder] },
    refuses: ['noSuchFile', 'rangeNotSatisfiable', 'preconditionFailed'],
    handle(services, { path, request }) {
      const answer = answerFile(services, path.filename, request);
      const isMissing = isRefusal(answer) && answer.refused === 'noSuchFile';
      return isMissing && prefersPage(request.headers.accept)
        ? answerBrowser(services.staticFiles, path.filename) ?? answer
        : answer;
    },
  }),
};

export function answerFile(
  { staticFiles }: Services, key: string, request: HttpRequest,
): Reply | Refusal<'noSuchFile' | 'rangeNotSatisfiable' | 'preconditionFailed'> {
  const file = staticFiles.get(key);
  if (file === undefined) {
    return refuse('noSuchFile');
  }
  const answer = answerStatic(file, request);
  if (answer.status === 412) {
    return refuse('preconditionFailed');
  }
  return answer.status === 416 ? refuse('rangeNotSatisfiable', answer.sizeBytes) : answer;
}

/** Redirects from a folder whose slash was left out, or answers the not-found page. */
function answerBrowser(files: StaticFiles, key: string): Reply | undefined {
  if (files.has(`${key}/`)) {
    const location = `/static/${key.split('/').map(encodeURIComponent).join('/')}/`;
    return { status: 302, headers: { 'Location': location, 'Vary': 'Accept' }, body: '' };
  }
  const page = files.get(NOT_FOUND_PAGE_KEY);
  return page && { status: 404, ...toErrorPage(page, { 'Vary': 'Accept' }) };
}
