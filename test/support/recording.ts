/**
 * Records the requests and responses of API tests, and the OpenAPI document that describes them, for external
 * validators: `npm run judge` names the folder in `RECORD_EXCHANGES`. Without it, nothing is recorded.
 *
 * `<digest>.json` is a document, and `<digest>-<process>.jsonl` has the exchanges of its services, one per
 * line. Bodies are in base64.
 */
import { hash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toMessage, type Answer, type CallOptions } from './http-client.ts';

const folder = process.env['RECORD_EXCHANGES'];
const digests = new Map<string, string>();

/** Does nothing unless RECORD_EXCHANGES is set. */
export function recordExchange(
  document: string, line: string, options: CallOptions | undefined, answer: Answer,
): void {
  if (folder === undefined) {
    return;
  }
  const digest = digests.get(document) ?? writeDocument(folder, document);
  const { method, target, fields, content } = toMessage(line, options);
  const { status, headers, bytes } = answer;
  const exchange = {
    method, target, fields, content: content === undefined ? null : Buffer.from(content).toString('base64'),
    status, headers, bytes: bytes.toString('base64'),
  };
  appendFileSync(join(folder, `${digest}-${process.pid}.jsonl`), `${JSON.stringify(exchange)}\n`);
}

/** @returns The digest that identifies the document. */
function writeDocument(folder: string, document: string): string {
  const digest = hash('sha256', document).slice(0, 12);
  writeFileSync(join(folder, `${digest}.json`), document);
  digests.set(document, digest);
  return digest;
}
