/** The frame of every change of a record: conditions first, then the change, and anew when somebody else was faster. */
import { evaluatePreconditions, toEntityTag, type EntityTag } from '../http/conditional.ts';
import { jsonTextReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import type { HttpProblem } from '../http/problem.ts';
import { problems } from '../problems.ts';
import type { LostRight } from '../stores/rights.ts';

/** As many changes of one record at once get through; each round, one of them does. */
const ROUNDS_MAX = 100;

/** When to come again after that. */
const RETRY_AFTER_SECONDS = 1;

/** A record as it is shown, in JSON. */
interface Shown {
  /** Absent for a reader who may not change the record. */
  readonly version?: number;
  readonly json: string;
}

/**
 * Reads, decides and changes in rounds, until the change was made on the state on which it was decided.
 *
 * @param decide - One round; `conflict` when what the decision depends on was changed before it took effect.
 */
export async function change(decide: () => Promise<Reply | 'conflict'>): Promise<Reply> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const outcome = await decide();
    if (outcome !== 'conflict') {
      return outcome;
    }
  }
  throw problems.busy(RETRY_AFTER_SECONDS, 'Others are changing the same record; please come again');
}

/** Answers a single read: 200 with the record and its entity tag, or 304 for a client that has it (RFC 9110 §13). */
export function answerRecord(request: HttpRequest, shown: Shown): Reply {
  const tag = toRecordTag(shown);
  switch (evaluatePreconditions(request, tag)) {
    case 'proceed':
      return jsonTextReply(200, shown.json, { 'ETag': tag });
    case 'not-modified':
      return { status: 304, headers: { 'ETag': tag }, body: '' };
    case 'precondition-failed':
      throw problems.preconditionFailed();
  }
}

/** @returns False when everything that the patch holds is so already. */
export function isChange<Record extends object>(record: Record, patch: Partial<Record>): boolean {
  return Object.entries(patch).some(([key, value]) => record[key as keyof Record] !== value); // a patch has no other keys
}

/** Answers a change with the record as it is now. */
export function answerChanged(shown: Shown): Reply {
  return jsonTextReply(200, shown.json, { 'ETag': toRecordTag(shown) });
}

/** To be asked when nothing else is in the way of a change (RFC 9110 §13.2.1). */
export function refuseFailedPrecondition(request: HttpRequest, shown: Shown): void {
  if (evaluatePreconditions(request, toRecordTag(shown)) !== 'proceed') {
    throw problems.preconditionFailed();
  }
}

/** True when the request has preconditions; only then is the whole record needed to make a change. */
export function isConditional({ headers }: HttpRequest): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/** Rights that were lost between the sign-in and the change. */
export function toLostRightProblem({ kind }: LostRight): HttpProblem {
  switch (kind) {
    case 'credentials-revoked':
      return problems.unauthenticated();
    case 'role-lost':
      return problems.forbidden('Only an administrator may do this');
  }
}

/**
 * The tag changes with every byte that is shown, which includes what belongs to other records (the projects
 * of a user, the owner of a project). For those who may change the record it changes with the version too,
 * which counts also what is not shown, such as a new password; nobody else is to learn of that from the tag.
 */
function toRecordTag({ version = 0, json }: Shown): EntityTag {
  return toEntityTag(`${version} ${json}`);
}
