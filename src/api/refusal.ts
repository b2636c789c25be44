/** A refusal is a value that names a problem. Functions return refusals, but never throw them. */
import type { SignIn } from '../auth/password-check.ts';
import type { Reply } from '../http/message.ts';
import type { Outcome } from '../stores/guards.ts';
import { problemPath, problems, type Occurrence, type Problem, type ProblemName } from './problems.ts';

/** The facts that the detail of a problem mentions. */
type FactsOf<Name extends ProblemName> =
  (typeof problems)[Name][3] extends (...facts: infer Facts) => unknown ? Facts : [];

export interface Refusal<Name extends ProblemName = ProblemName> extends Occurrence {
  readonly refused: Name;
}

export function refuse<Name extends ProblemName>(name: Name, ...facts: FactsOf<Name>): Refusal<Name> {
  const [, , , describe]: Problem = problems[name];
  // The signature of `refuse` requires exactly the facts that the detail of the problem mentions.
  const described = typeof describe === 'string' ? describe : describe(...(facts as never));
  return { refused: name, ...(typeof described === 'string' ? { detail: described } : described) };
}

export function isRefusal<Value>(value: Value): value is Extract<Value, Refusal> {
  return typeof value === 'object' && value !== null && 'refused' in value;
}

/** A store can refuse a change only with a problem whose detail is always the same. */
type Reason = { [Name in ProblemName]: FactsOf<Name> extends readonly [] ? Name : never }[ProblemName];

/** The outcomes of stores, queues and sign-ins, except the outcome `rejected`. */
type AnyOutcome = Outcome<Reason> | Exclude<SignIn<unknown>, { readonly kind: 'rejected' }>;

type ResultOf<One> = One extends { readonly result: infer Result } ? Result
  : One extends { readonly reason: infer Name extends ProblemName } ? Refusal<Name>
  : Refusal<One extends { readonly kind: 'busy' } ? 'busy' : 'tooManyAttempts'>;

export function resultOf<One extends AnyOutcome>(outcome: One): ResultOf<One>;
export function resultOf(outcome: AnyOutcome): unknown {
  return 'result' in outcome ? outcome.result
    : outcome.kind === 'refused' ? refuse(outcome.reason)
    : refuse(outcome.kind === 'busy' ? 'busy' : 'tooManyAttempts', outcome.retryAfterSeconds);
}

export function problemReply(
  { refused, detail, headers, members }: Refusal, requestId: string, basePath: string,
): Reply {
  const [slug, status, title] = problems[refused];
  const type = problemPath(slug, basePath);
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify({ type, title, status, detail, request_id: requestId, ...members }),
  };
}
