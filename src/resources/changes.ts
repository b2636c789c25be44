/** Optimistic concurrency: check preconditions, write, and retry when another write came first. */
import { evaluatePreconditions } from '../http/conditional.ts';
import type { HttpRequest } from '../http/exchange.ts';
import type { Tagged } from './answers.ts';
import type { LostRight } from '../stores/rights.ts';
import { refuse, type Refusal } from './problems.ts';

/** Each round, one of the clients that change a record at once succeeds; so this many of them get through. */
const ROUNDS_MAX = 100;

/**
 * Reads, decides and writes until the write met the state on which it was decided.
 *
 * @param attempt - One round; `conflict` when another write changed the record, or what the
 *   decision depends on, first.
 */
export async function retryOnConflict<Outcome>(
  attempt: () => Promise<Outcome | 'conflict'>,
): Promise<Outcome | Refusal<'tooManyConflicts'>> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const outcome = await attempt();
    if (outcome !== 'conflict') {
      return outcome as Outcome; // the compiler does not see that `Outcome` has no 'conflict'
    }
  }
  return refuse('tooManyConflicts');
}

/** To be asked when nothing else prevents the change (RFC 9110 §13.2.1). */
export function isPreconditionFailed(request: HttpRequest, { tag }: Pick<Tagged, 'tag'>): boolean {
  return evaluatePreconditions(request, tag) !== 'proceed';
}

/** True when the request has preconditions; only then does a change need the record as it is shown. */
export function isConditional({ headers }: HttpRequest): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/**
 * The problems of a caller who has lost the right to a change between the sign-in and the
 * statement that makes it.
 */
export const LOST_RIGHTS = ['unauthenticated', 'administratorOnly'] as const;

export function refuseLostRight({ kind }: LostRight): Refusal<(typeof LOST_RIGHTS)[number]> {
  switch (kind) {
    case 'credentials-revoked':
      return refuse('unauthenticated');
    case 'role-lost':
      return refuse('administratorOnly');
  }
}
