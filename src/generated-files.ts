/** What is served below `/static/` besides the files of the folder, made once, at start-up. */
import { API_DESCRIPTION_KEY } from './handlers/static.ts';
import { createDocument, listProblemTypes, type DocumentSettings } from './openapi/document.ts';
import { createProblemPages } from './problem-pages.ts';
import { createRoutes, type RouteSettings } from './routes.ts';

/**
 * @param settings - Those that these files depend on.
 * @param version - Of the program.
 * @returns The content by its path below `/static/`.
 */
export function generateFiles(settings: DocumentSettings & RouteSettings, version: string): ReadonlyMap<string, string> {
  const routes = createRoutes(settings);
  const document = createDocument(routes, settings, version);
  const problemPages = createProblemPages(settings.basePath ?? '', listProblemTypes(routes, settings));
  return new Map([...problemPages, [API_DESCRIPTION_KEY, JSON.stringify(document)]]);
}
