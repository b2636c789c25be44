/** Reads the items of a page like a client. */
import type { JsonPage } from '../../src/model/page.ts';

export async function readItems({ items }: Pick<JsonPage, 'items'>): Promise<readonly any[]> {
  return JSON.parse(`[${items}]`);
}
