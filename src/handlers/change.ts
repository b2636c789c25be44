/** The frame of every change of a record: conditions first, then the change, and anew when somebody else was faster. */
import { evaluatePreconditions, toEntityTag, type EntityTag } from '../http/conditional.ts';
import { jsonTextReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { problems } from '../problems.ts';

/** As many changes of one record at once get through; each round, one of them does. */
const ROUNDS_MAX = 100;

/** When to come again after that. */
const RETRY_AFTER_SECONDS = 1;

/** A record as it is shown, in JSON, with the version of its row. */
interface Shown {
  readonly version: number;
  readonly json: string;
}

/**
 * Reads, decides and changes in rounds, until the change was made on the state on which it was decided.
 *
 * @param decide - One round; `overtaken` when somebody else changed what the decision depends on before it took effect.
 */
export async function change(decide: () => Promise<Reply | 'overtaken'>): Promise<Reply> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const outcome = await decide();
    if (outcome !== 'overtaken') {
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

/**
 * The tag changes with every byte that is shown, which includes what belongs to other records (the projects of a user,
 * the owner of a project), and with the version, which counts also what is not shown, such as a new password.
 */
function toRecordTag({ version, json }: Shown): EntityTag {
  return toEntityTag(`${version} ${json}`);
}
