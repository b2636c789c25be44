/** Parts of operations that change a record: its origin, its preconditions, and refusals by guards. */
import type { Caller } from '../auth/authenticate.ts';
import { evaluatePreconditions } from '../http/conditional.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp } from '../model/clock.ts';
import type { ExpectedVersion, Refused } from '../stores/guarded.ts';
import { refuse, type FactsOf, type ProblemName, type Refusal } from './problems.ts';
import type { Tagged } from './replies.ts';
import type { Services } from './services.ts';

/** @param caller - `undefined` when nobody has signed in. */
export function originOf(
  { clock }: Services, { id, address }: HttpRequest, caller: Caller | undefined,
): Origin {
  return {
    at: toTimestamp(clock()),
    user: caller?.user,
    signIn: caller?.signIn ?? 'none',
    tokenId: caller?.signIn === 'token' ? caller.token.id : undefined,
    passwordVersion: caller?.signIn === 'password' ? caller.passwordVersion : undefined,
    requestId: id,
    address,
  };
}

/** The problems of a caller who loses the right to a change between the sign-in and the write. */
export const LOST_RIGHTS = ['unauthenticated', 'administratorOnly', 'tooManyConflicts'] as const;

/** The names that the refusals mention, by problem; nothing if none of the problems mentions a name. */
type Names<Name extends ProblemName> = {
  readonly [Each in Name as FactsOf<Each> extends [] ? never : Each]: string | undefined;
};

/** Turns a guard that failed into the refusal of the same name. */
export function refuseFailed<Name extends ProblemName>(
  { reason }: Refused<Name>, ...[names]: keyof Names<Name> extends never ? [] : [Names<Name>]
): Refusal<Name> {
  const named: Partial<Record<ProblemName, string>> = names ?? {};
  return refuse(reason, ...([named[reason]] as never)); // a problem without facts ignores it
}

/**
 * The version that the record must still have when it is changed. A tag contains the version, so a record of
 * another version does not match `If-Match`. Without `If-Match`, a change does not depend on the version,
 * because it writes only the given members.
 */
export function expectVersion(
  request: HttpRequest, { tag }: Pick<Tagged, 'tag'>, version: number,
): ExpectedVersion {
  if (evaluatePreconditions(request, tag) !== 'proceed') {
    return 'unmet';
  }
  const ifMatch = request.headers['if-match']?.trim();
  return ifMatch === undefined || ifMatch === '*' ? 'any' : version;
}

/** True when the request has preconditions; only then does a change need the representation. */
export function isConditional({ headers }: HttpRequest): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/**
 * @returns The members of a patch that differ from the record. Members that are the same are not written, so
 *   that concurrent changes of other members are kept.
 */
export function onlyChanges<Values extends object>(
  current: Values, patch: { readonly [Name in keyof Values]?: Values[Name] | undefined },
): Partial<Values> {
  const changes = Object.entries(patch).filter(
    ([name, value]) => value !== undefined && value !== current[name as keyof Values],
  );
  return Object.fromEntries(changes) as Partial<Values>; // a selection of its members
}
