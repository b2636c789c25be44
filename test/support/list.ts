/** Reads the items of a page like a client. */
import type { JsonPage } from '../../src/stores/list.ts';

export async function readItems({ items }: Pick<JsonPage, 'items'>): Promise<readonly any[]> {
  return JSON.parse(`[${items}]`);
}
