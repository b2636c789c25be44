/** Reads the items of a page as a client gets them. */
import type { JsonPage } from '../../src/stores/list.ts';

export async function readItems({ items }: Pick<JsonPage, 'items'>): Promise<readonly any[]> {
  return JSON.parse(`[${items}]`);
}
