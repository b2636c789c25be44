/**
 * HTTP/1.1 over raw sockets (RFC 9112 §6), with as little work as possible: the load must cost less than the
 * server under measurement. Answers need `Content-Length` or a status without content. Chunks are refused,
 * because neither of our servers sends them.
 */
import { connect, type Socket } from 'node:net';

export interface PreparedRequest {
  readonly bytes: Buffer;
  /** The expected status. An answer with another status ends the run. */
  readonly status: number;
}

interface RequestParts {
  /** A `Bearer` or `Basic` credential, where one is needed. */
  readonly authorization?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status; 200 unless given. */
  readonly status?: number;
}

/** @param line - Method and target: `GET /api/v1/users`. */
export function prepare(line: string, parts: RequestParts = {}): PreparedRequest {
  const { authorization, json, headers = {}, status = 200 } = parts;
  const body = Buffer.from(json === undefined ? '' : JSON.stringify(json));
  const fields = {
    'Host': 'localhost',
    'Accept': '*/*',
    ...(authorization !== undefined && { 'Authorization': authorization }),
    ...(json !== undefined && { 'Content-Type': 'application/json', 'Content-Length': body.length }),
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return { bytes: Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join('')}\r\n`), body]), status };
}

/** An answer as it was received, field by field. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** The first value of a field, whatever the case of its name. */
export function findHeader({ headers }: Answer, name: string): string | undefined {
  return headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
}

/** Sends a request on a connection of its own. */
export async function exchange(port: number, { bytes }: PreparedRequest): Promise<Answer> {
  const reader = new AnswerReader();
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  let received = Buffer.alloc(0);
  for await (const chunk of socket) { // leaving the loop closes the connection
    received = Buffer.concat([received, chunk]);
    if (reader.take(chunk) !== undefined) {
      return parseAnswer(received);
    }
  }
  throw new Error('The connection ended within the answer');
}

function parseAnswer(bytes: Buffer): Answer {
  const { status, headBytes } = parseAnswerHead(bytes) ?? { status: NaN, headBytes: 0 };
  const [, ...lines] = bytes.toString('latin1', 0, headBytes).trimEnd().split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return { status, headers, body: bytes.subarray(headBytes) };
}

interface LoadParts {
  readonly port: number;
  readonly connectionCount: number;
  readonly next: () => PreparedRequest;
  /** Called for every answer that has the expected status. */
  readonly onAnswer: (latencyMs: number) => void;
}

interface Load {
  /** Rejects with the first wrong answer or lost connection; never fulfilled. */
  readonly failed: Promise<never>;
  stop(): void;
}

const READ_BUFFER_BYTES = 65_536;

/**
 * Opens persistent connections, each with one request in flight at any time. The next request is sent when
 * the answer has arrived, so the server is never idle. Latencies are therefore mostly time in the queue.
 */
export function startLoad({ connectionCount, ...parts }: LoadParts): Load {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {}); // the caller awaits it later, and a connection may fail before
  const sockets = Array.from({ length: connectionCount }, () => openConnection(parts, reject));
  return {
    failed,
    stop: () => sockets.forEach((socket) => socket.removeAllListeners('close').destroy()),
  };
}

function openConnection(
  { port, next, onAnswer }: Omit<LoadParts, 'connectionCount'>,
  fail: (error: unknown) => void,
): Socket {
  const reader = new AnswerReader();
  let request = next();
  let sentAtMs = 0;
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.alloc(READ_BUFFER_BYTES), callback: receive },
  });
  socket.on('connect', send);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The server closed a connection that should be kept alive')));
  return socket;

  function send(): void {
    sentAtMs = performance.now();
    socket.write(request.bytes);
  }

  function receive(byteCount: number, buffer: Uint8Array): boolean {
    try {
      const status = reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, byteCount));
      if (status !== undefined) {
        finish(status);
      }
    } catch (error) {
      fail(error);
    }
    return true;
  }

  function finish(status: number): void {
    if (status !== request.status) {
      const [line] = request.bytes.toString('latin1').split('\r\n');
      throw new Error(`Expected ${request.status} in answer to "${line}", got ${status}`);
    }
    onAnswer(performance.now() - sentAtMs);
    request = next();
    send();
  }
}

/** Finds the ends of answers on a connection. The next request is sent only after the end of an answer. */
export class AnswerReader {
  #begun = Buffer.alloc(0);
  #status = 0;
  #bytesLeft = 0;

  /**
   * @param chunk - Received bytes; not kept, so the memory may be used again.
   * @returns The status of the answer when the chunk ends the answer, otherwise `undefined`.
   * @throws When the bytes are no answer, or more than one answer.
   */
  take(chunk: Buffer): number | undefined {
    if (this.#status === 0) {
      const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
      const head = parseAnswerHead(bytes);
      if (head === undefined) {
        this.#begun = Buffer.from(bytes);
        return undefined;
      }
      this.#begun = Buffer.alloc(0);
      this.#status = head.status;
      this.#bytesLeft = head.headBytes + head.bodyBytes - bytes.length;
    } else {
      this.#bytesLeft -= chunk.length;
    }
    if (this.#bytesLeft < 0) {
      throw new Error(`Cannot frame an answer: ${-this.#bytesLeft} bytes follow its end`);
    }
    const status = this.#status;
    this.#status = this.#bytesLeft === 0 ? 0 : status;
    return this.#bytesLeft === 0 ? status : undefined;
  }
}

interface AnswerHead {
  readonly status: number;
  readonly headBytes: number;
  readonly bodyBytes: number;
}

const HEAD_END = '\r\n\r\n';

/**
 * @returns `undefined` when the bytes end within the head.
 * @throws When they are not the head of an answer of known length.
 */
function parseAnswerHead(bytes: Buffer): AnswerHead | undefined {
  const end = bytes.indexOf(HEAD_END, 0, 'latin1');
  if (end === -1) {
    return undefined;
  }
  const head = bytes.toString('latin1', 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? NaN);
  const hasContent = status !== 204 && status !== 304;
  const bodyBytes = hasContent ? Number(/\r\nContent-Length: *(\d+)/i.exec(head)?.[1] ?? NaN) : 0;
  if (Number.isNaN(status) || Number.isNaN(bodyBytes)) {
    throw new Error(`Cannot frame an answer: expected a status and Content-Length in "${head}"`);
  }
  return { status, headBytes: end + HEAD_END.length, bodyBytes };
}
