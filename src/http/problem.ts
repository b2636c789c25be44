/**
 * Errors as answers: `application/problem+json` (RFC 9457). An `HttpProblem` is the only thing that is thrown to become an
 * answer, and all of its text is written by us; nothing of a response is read off any other error.
 */
import type { WholeReply } from './exchange.ts';

/** What is wrong with one part of a request. */
export interface ProblemPart {
  /** JSON pointer (RFC 6901) into the body; empty for the whole. */
  readonly pointer: string;
  /** The schema keyword that was violated. */
  readonly keyword: string;
  readonly message: string;
}

/** What all problems of one kind share. */
export interface ProblemType {
  /** What tells its URI from those of others. */
  readonly slug: string;
  readonly status: number;
  readonly title: string;
}

export class HttpProblem extends Error {
  readonly type: ProblemType;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: readonly ProblemPart[] | undefined;
  readonly failedChecks: readonly string[] | undefined;

  /** @param detail - A sentence for the caller about this occurrence, without anything secret. */
  constructor(
    type: ProblemType,
    detail: string,
    { headers = {}, parts, failedChecks }: {
      headers?: Readonly<Record<string, string>>; parts?: readonly ProblemPart[]; failedChecks?: readonly string[];
    } = {},
  ) {
    super(detail);
    this.name = 'HttpProblem';
    this.type = type;
    this.detail = detail;
    this.headers = headers;
    this.parts = parts;
    this.failedChecks = failedChecks;
  }
}

export function toProblemReply(
  problem: HttpProblem,
  { requestId, toTypeUri }: { requestId: string; toTypeUri: (type: ProblemType) => string },
): WholeReply {
  const { status, title } = problem.type;
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json; charset=utf-8', ...problem.headers },
    body: JSON.stringify({
      type: toTypeUri(problem.type),
      title,
      status,
      detail: problem.detail,
      request_id: requestId,
      errors: problem.parts, // left out when undefined
      failed_checks: problem.failedChecks,
    }),
  };
}
