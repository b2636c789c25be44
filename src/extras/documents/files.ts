/**
 * The generated files below `/static/` are the API document, and pages made from fragments in the static
 * folder. The code that generates files is loaded only at the first request for one of the files.
 */
import { operation, type Operations } from '../../api/operation.ts';
import type { GeneratedFiles } from '../../http/static-files.ts';
import { answerFile, NOT_FOUND_PAGE_KEY } from '../../resources/static.ts';
import type { DocumentSettings } from './openapi.ts';

const API_DOCUMENT_KEY = 'openapi.json';

/** Users read the guides in this order. */
export const GUIDE_KEYS =
  ['signing-in', 'programs', 'lists', 'changes', 'errors'].map((name) => `guides/${name}.html`);

export const documentOperations = {
  readApiDescription: operation({
    method: 'GET',
    path: '/api/v1/openapi.json',
    access: 'public',
    refuses: ['noSuchFile', 'rangeNotSatisfiable', 'preconditionFailed'],
    handle: (services, { request }) => answerFile(services, API_DOCUMENT_KEY, request),
  }),
};

export function documentFiles(
  operations: Operations, settings: DocumentSettings, version: string,
): GeneratedFiles {
  return {
    keys: [API_DOCUMENT_KEY, 'problems.html', NOT_FOUND_PAGE_KEY, 'guides/index.html', ...GUIDE_KEYS],
    async generate(key, read) {
      if (key === API_DOCUMENT_KEY) {
        const { createDocument } = await import('./openapi.ts');
        return JSON.stringify(createDocument(operations, settings, version));
      }
      const { createPage } = await import('./pages.ts');
      return createPage(key, { basePath: settings.basePath ?? '', guides: GUIDE_KEYS, read });
    },
  };
}
