/** Optimistic concurrency: check preconditions, write, and retry when another write came first. */
import { evaluatePreconditions } from '../http/conditional.ts';
import type { HttpRequest } from '../http/exchange.ts';
import type { Tagged } from './answers.ts';
import type { LostRight } from '../stores/rights.ts';
import { refuse, type Refusal } from './problems.ts';

/** Attempts before giving up with 503. In each round, one of the concurrent writers of a record succeeds. */
const ROUNDS_MAX = 100;

/** Why a write changed nothing: another write came first, or the caller has lost the right to it. */
type Obstacle = { readonly kind: 'conflict' } | LostRight;

/**
 * Reads, decides and writes, until no other write came between the read and the write.
 *
 * @param attempt - One round. It returns `conflict` when another write came first and changed the record or
 *   other data that the decision depends on.
 */
export async function retryOnConflict<Outcome>(
  attempt: () => Promise<Outcome | Obstacle>,
): Promise<Outcome | Refusal<(typeof CHANGE_REFUSALS)[number]>> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const outcome = await attempt();
    if (!isObstacle(outcome)) {
      return outcome;
    }
    if (outcome.kind !== 'conflict') {
      return refuseLostRight(outcome);
    }
  }
  return refuse('tooManyConflicts');
}

function isObstacle<Outcome>(outcome: Outcome | Obstacle): outcome is Obstacle {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome;
}

/** Check this last, when nothing else prevents the change (RFC 9110 §13.2.1). */
export function isPreconditionFailed(request: HttpRequest, { tag }: Pick<Tagged, 'tag'>): boolean {
  return evaluatePreconditions(request, tag) !== 'proceed';
}

/** True when the request has preconditions; only then does a change need the representation. */
export function isConditional({ headers }: HttpRequest): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/** The problems of a caller who loses the right to a change between the sign-in and the write. */
export const LOST_RIGHTS = ['unauthenticated', 'administratorOnly'] as const;

/** The problems of every change in `retryOnConflict`. */
export const CHANGE_REFUSALS = ['tooManyConflicts', ...LOST_RIGHTS] as const;

export function refuseLostRight({ kind }: LostRight): Refusal<(typeof LOST_RIGHTS)[number]> {
  switch (kind) {
    case 'credentials-revoked':
      return refuse('unauthenticated');
    case 'role-lost':
      return refuse('administratorOnly');
  }
}
