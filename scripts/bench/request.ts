/** Requests as bytes that are ready to be sent, and one exchange of them outside of the measurement. */
import { connect } from 'node:net';
import { AnswerReader, parseAnswerHead } from './framing.ts';

export interface PreparedRequest {
  readonly bytes: Buffer;
  /** Anything but this status in the answer ends the run. */
  readonly status: number;
}

interface RequestParts {
  /** A `Bearer` or `Basic` credential, where one is needed. */
  readonly authorization?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the answer shall have; 200 unless given. */
  readonly status?: number;
}

/** @param line - Method and target: `GET /api/v1/users`. */
export function prepare(line: string, { authorization, json, headers = {}, status = 200 }: RequestParts = {}): PreparedRequest {
  const body = json === undefined ? '' : JSON.stringify(json);
  const fields = {
    'Host': 'localhost',
    'Accept': '*/*',
    ...(authorization === undefined ? {} : { 'Authorization': authorization }),
    ...(json === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return { bytes: Buffer.from(`${line} HTTP/1.1\r\n${head.join('')}\r\n${body}`), status };
}

/** An answer as it came, field by field. */
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
export function exchange(port: number, { bytes }: PreparedRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader();
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The connection ended within the answer')));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      try {
        if (reader.take(chunk) !== undefined) {
          resolve(toAnswer(Buffer.concat(chunks)));
          socket.destroy();
        }
      } catch (error) {
        reject(error);
        socket.destroy();
      }
    });
  });
}

function toAnswer(bytes: Buffer): Answer {
  const head = parseAnswerHead(bytes);
  if (head === undefined) {
    throw new Error('An answer without a head cannot have ended');
  }
  const [, ...lines] = bytes.toString('latin1', 0, head.headBytes).trimEnd().split('\r\n');
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const);
  return { status: head.status, headers, body: bytes.subarray(head.headBytes) };
}
