/**
 * The API document, the page of problems, the list of guides and the not-found page: generated at start-up,
 * and served like files of the static folder.
 */
import type { Operations } from '../../api/operation.ts';
import { NOT_FOUND_PAGE_KEY } from '../../resources/static.ts';
import { API_DOCUMENT_KEY } from './document.ts';
import { createGuidesPage, GUIDES_PAGE_KEY } from './guides.ts';
import { createDocument, type DocumentSettings } from './openapi.ts';
import { createNotFoundPage, createProblemPage, PROBLEM_PAGE_KEY } from './pages.ts';

/**
 * @param operations - All operations that are served.
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
