/** A refusal is a value that names a problem: returned, never thrown, and then made a reply. */
import type { Postponed } from '../auth/password-check.ts';
import type { Reply } from '../http/message.ts';
import type { QueueOutcome } from '../scheduling/fair-queue.ts';
import {
  problems, problemTypes, slugOf, type Occurrence, type Problem, type ProblemName, type ProblemSlug,
} from './problems.ts';

/** The facts that the detail of a problem mentions. */
export type FactsOf<Name extends ProblemName> =
  (typeof problems)[Name][1] extends (...facts: infer Facts) => unknown ? Facts : [];

export interface Refusal<Name extends ProblemName = ProblemName> extends Occurrence {
  readonly refused: Name;
}

export function refuse<Name extends ProblemName>(name: Name, ...facts: FactsOf<Name>): Refusal<Name> {
  const [, describe]: Problem = problems[name];
  // The signature of `refuse` requires exactly the facts that the detail of this problem mentions.
  const described = typeof describe === 'string' ? describe : describe(...(facts as never));
  return { refused: name, ...(typeof described === 'string' ? { detail: described } : described) };
}

export function refusePostponed({ kind, retryAfterSeconds }: Postponed) {
  return refuse(kind === 'busy' ? 'busy' : 'tooManyAttempts', retryAfterSeconds);
}

/** @returns The result of a job, or a refusal if the queue had no room for the job. */
export function resultOf<Result>(outcome: QueueOutcome<Result>): Result | Refusal<'busy'> {
  return outcome.kind === 'busy' ? refuse('busy', outcome.retryAfterSeconds) : outcome.result;
}

export function isRefusal<Outcome>(outcome: Outcome): outcome is Extract<Outcome, Refusal> {
  return typeof outcome === 'object' && outcome !== null && 'refused' in outcome;
}

export function problemReply(
  { refused, detail, headers, members }: Refusal,
  { requestId, typeUri }: { readonly requestId: string; readonly typeUri: (slug: ProblemSlug) => string },
): Reply {
  const slug = slugOf(refused);
  const { status, title } = problemTypes[slug];
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify({ type: typeUri(slug), title, status, detail, request_id: requestId, ...members }),
  };
}
