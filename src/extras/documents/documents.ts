/**
 * The API document, the page of problems, the list of guides and the not-found page: generated at start-up,
 * and served like files of the static folder.
 */
import { operation, type Operations } from '../../api/operation.ts';
import { answerFile, fileAnswers, NOT_FOUND_PAGE_KEY } from '../../resources/static.ts';
import { createGuidesPage, GUIDES_PAGE_KEY } from './guides.ts';
import { createDocument, type DocumentSettings } from './openapi.ts';
import { createNotFoundPage, createProblemPage, PROBLEM_PAGE_KEY } from './pages.ts';

export const API_DOCUMENT_KEY = 'openapi.json';

export const documentOperations = {
  readApiDescription: operation({
    method: 'GET',
    path: '/api/v1/openapi.json',
    access: 'public',
    tag: 'Service',
    summary: 'Get this document',
    description:
      'Generated at start-up from the operations themselves. `/static/openapi.json` has the same bytes.',
    answers: fileAnswers({
      'application/json': {
        schema: { json: { type: 'object' } },
        example: { openapi: '3.0.4', info: { title: 'Rollcall', version: '1.0.0' }, paths: {} },
      },
    }),
    refuses: ['noSuchFile', 'rangeNotSatisfiable', 'preconditionFailed'],
    handle: (services, { request }) => answerFile(services, API_DOCUMENT_KEY, request),
  }),
};

/**
 * @param operations - All operations that are served, including the one above.
 * @param version - The version of the program.
 * @returns The content of the generated files by their paths below `/static/`.
 */
export function generateFiles(
  operations: Operations,
  settings: DocumentSettings,
  version: string,
): ReadonlyMap<string, string> {
  return new Map([
    [PROBLEM_PAGE_KEY, createProblemPage(operations, settings.basePath ?? '')],
    [NOT_FOUND_PAGE_KEY, createNotFoundPage(settings.basePath ?? '')],
    [GUIDES_PAGE_KEY, createGuidesPage()],
    [API_DOCUMENT_KEY, JSON.stringify(createDocument(operations, settings, version))],
  ]);
}
