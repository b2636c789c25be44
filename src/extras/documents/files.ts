/**
 * The files below `/static/` that are generated when they are first asked for: the API document, and the
 * pages around fragments of the static folder. Most processes are never asked, so the code and the texts of
 * the documents are loaded only then.
 */
import type { Operations } from '../../api/operation.ts';
import type { GeneratedFiles } from '../../http/static-files.ts';
import { NOT_FOUND_PAGE_KEY } from '../../resources/static.ts';
import { API_DOCUMENT_KEY } from './document.ts';
import type { DocumentSettings } from './openapi.ts';

/** The guides in the order of reading: their files below `static/guides/`, without `.html`. */
const GUIDES = ['signing-in', 'programs', 'lists', 'changes', 'errors'];
export const GUIDE_KEYS = GUIDES.map((name) => `guides/${name}.html`);

/**
 * @param operations - All operations that are served.
 * @param version - The version of the program.
 */
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
      return createPage(key, { operations, basePath: settings.basePath ?? '', guides: GUIDE_KEYS, read });
    },
  };
}
