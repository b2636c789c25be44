/** Reads a page of a list like a client, in one piece or in slices. */
import type { JsonPage } from '../../src/model/page.ts';

export async function readItems({ items }: Pick<JsonPage, 'items'>): Promise<readonly any[]> {
  let text = '';
  for await (const piece of typeof items === 'string' ? [items] : items) {
    text += piece;
  }
  return JSON.parse(`[${text}]`);
}
