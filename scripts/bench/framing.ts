/**
 * Finds the ends of HTTP/1.1 answers in what a socket delivers, and nothing more (RFC 9112 §6): the load must cost less
 * than the server that it measures. Knows `Content-Length` and the statuses without content; a server that sends chunks
 * is refused, as neither of ours does.
 */

interface AnswerHead {
  readonly status: number;
  readonly headBytes: number;
  readonly bodyBytes: number;
}

const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/** For one connection on which the next request is sent when the answer is there. */
export class AnswerReader {
  #begun = NOTHING;
  #status = 0;
  #bytesLeft = 0;

  /**
   * @param chunk - What came; not kept, so the memory may be used again.
   * @returns The status of the answer when this was its end, otherwise `undefined`.
   * @throws When the bytes are no answer, or more than one.
   */
  take(chunk: Buffer): number | undefined {
    if (this.#status === 0) {
      const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
      const head = parseAnswerHead(bytes);
      if (head === undefined) {
        this.#begun = Buffer.from(bytes);
        return undefined;
      }
      this.#begun = NOTHING;
      this.#status = head.status;
      this.#bytesLeft = head.headBytes + head.bodyBytes - bytes.length;
    } else {
      this.#bytesLeft -= chunk.length;
    }
    return this.#bytesLeft > 0 ? undefined : this.#end();
  }

  #end(): number {
    if (this.#bytesLeft < 0) {
      throw new Error(`Cannot frame an answer: ${-this.#bytesLeft} bytes follow its end`);
    }
    const status = this.#status;
    this.#status = 0;
    return status;
  }
}

/**
 * @returns `undefined` when the bytes end within the head.
 * @throws When they are not the head of an answer of known length.
 */
export function parseAnswerHead(bytes: Buffer): AnswerHead | undefined {
  const end = bytes.indexOf(HEAD_END, 0, 'latin1');
  if (end === -1) {
    return undefined;
  }
  const head = bytes.toString('latin1', 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? NaN);
  const hasContent = status !== 204 && status !== 304;
  const bodyBytes = hasContent ? Number(/\r\nContent-Length: *(\d+)/i.exec(head)?.[1] ?? NaN) : 0;
  if (Number.isNaN(status) || Number.isNaN(bodyBytes)) {
    throw new Error(`Cannot frame an answer: expected HTTP/1.1, a status and Content-Length, found "${head}"`);
  }
  return { status, headBytes: end + HEAD_END.length, bodyBytes };
}
