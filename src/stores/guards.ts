/**
 * A guard consists of a condition for a change, and a reason to refuse the change if the condition fails.
 * Guards are checked in the transaction of the change, because other requests can change the data after the
 * sign-in. The functions from `isSignedIn` to `hasVersion` make guards. Some of these functions return a
 * list of guards.
 *
 * The first statement of the batch checks the guards, in order. If guard 3 is the first to fail, this
 * statement inserts three rows into the table `refusal`. If all guards hold, the statement inserts no row. A
 * batch reports how many rows each statement has changed, so the number of inserted rows tells which guard
 * failed. With the condition `ALLOWED`, a write changes rows only if `refusal` is empty. The last statement
 * empties `refusal`.
 */
import { raw, sql, type Database, type Row, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey, type IdOrName, type NameKey } from '../model/name.ts';

type Guard<Reason extends string = string> = Readonly<{ reason: Reason; holds: Statement }>;

export type Outcome<Reason extends string, Result = unknown> =
  | { readonly kind: 'changed'; readonly result: Result }
  | { readonly [R in Reason]: { readonly kind: 'refused'; readonly reason: R } }[Reason];

/** The rows of `table` that fulfil the SQL condition `row`. Guards and audit events refer to these rows. */
export interface Target {
  readonly table: 'users' | 'projects' | 'tokens';
  readonly row: Statement;
}

interface Change<Reason extends string, Result> {
  /** `false` stands for a guard that the change does not need. */
  readonly guards: readonly (Guard<Reason> | false)[];
  readonly writes: readonly Statement[];
  /** Reads a row after the change. From this row, `toResult` makes the result of the change. */
  readonly readBack?: Statement;
  readonly toResult?: (row: Row) => Result;
}

const KEYS = { users: raw('users.username_key'), projects: raw('projects.name_key') };

export function recordAt(table: keyof typeof KEYS, ref: IdOrName<number>): Target {
  const row = 'id' in ref
    ? sql`${raw(table)}.id = ${ref.id}`
    : sql`${KEYS[table]} = ${toNameKey(ref.name)}`;
  return { table, row };
}

/** After a rename, the old name no longer refers to the record. @returns A reference that is still valid. */
export const renamed = <Id>(ref: IdOrName<Id>, name: string | undefined): IdOrName<Id> =>
  name === undefined || 'id' in ref ? ref : { name };

export const ALLOWED = raw('NOT EXISTS (SELECT 1 FROM refusal)');

/** Without `WHERE`, this DELETE would write to the file even if the table is empty. */
const FORGET = raw('DELETE FROM refusal WHERE number > 0');

/**
 * @param holds - An SQL condition on three rows: the target, the user who signed in (`caller`), and the token
 * of the sign-in (`used_token`). The columns of a missing row are NULL. A guard fails if `holds` is NULL.
 */
export const guard = <const Reason extends string>(reason: Reason, holds: Statement): Guard<Reason> =>
  ({ reason, holds });

/**
 * Requires that the caller is enabled, and that the password or token is valid. Commands of the operator need
 * no sign-in.
 */
export function isSignedIn({ signIn, passwordVersion, at }: Origin) {
  return signIn !== 'program' && guard('unauthenticated', sql`caller.disabled = 0 AND (
    caller.password_version = ${passwordVersion ?? null}
    OR used_token.user_id = caller.id AND used_token.expires_at > ${at})`);
}

/** Holds if the caller is an administrator or has the id `owner`. */
export const mayChange = <const Reason extends string>(
  reason: Reason, { signIn }: Origin, owner: Statement = raw('NULL'),
) => signIn !== 'program' && guard(reason, sql`caller.is_admin = 1 OR caller.id = ${owner}`);

/** Fails if the owner does not exist (`owner` is NULL), or is hidden from the caller. */
export const exists = <const Reason extends string>(
  reason: Reason, { visibleUserId }: Origin, owner: Statement,
) => guard(reason, sql`${owner} = coalesce(${visibleUserId ?? null}, ${owner})`);

/** @param besides - The id of the record to change. The current name of this record counts as free. */
export function isNameFree<const Reason extends string>(
  reason: Reason, table: keyof typeof KEYS, key: NameKey, besides: Statement = raw('NULL'),
) {
  const holder = sql`SELECT id FROM ${raw(table)} WHERE ${KEYS[table]} = ${key}`;
  return guard(reason, sql`coalesce((${holder}), ${besides}) IS ${besides}`);
}

/** The guards of every change to an existing user or project, and of every new project. */
export const mayChangeRecord = <const Missing extends string, const NotOwn extends string>(
  missing: Missing, notOwn: NotOwn, origin: Origin, owner: Statement,
) => [isSignedIn(origin), exists(missing, origin, owner), mayChange(notOwn, origin, owner)];

export const isAdministrator = (origin: Origin) =>
  [isSignedIn(origin), mayChange('administratorOnly', origin)];

/** The version that `If-Match` demands, if any; `unmet` if a precondition has already failed. */
export type ExpectedVersion = number | 'unmet' | undefined;

/** This guard is last, because a precondition counts only if all other guards hold (RFC 9110 §13.2.1). */
export function hasVersion(table: Target['table'], expected: ExpectedVersion) {
  const version = expected === 'unmet' ? null : expected; // NULL equals no version
  return version !== undefined && guard('preconditionFailed', sql`${raw(table)}.version = ${version}`);
}

export const ifAllowed = ({ row }: Target): Statement => sql`${row} AND ${ALLOWED}`;

export async function changeIf<Reason extends string, Result = undefined>(
  database: Database, origin: Origin, target: Target | undefined,
  { guards: all, writes, readBack, toResult }: Change<Reason, Result>,
): Promise<Outcome<Reason, Result>> {
  const guards = all.filter((needed) => needed !== false);
  const statements = [decide(guards, origin, target), ...writes, FORGET];
  const { counts: [failedNumber], row = {} } = await database.change(statements, readBack);
  const failed = guards[Number(failedNumber) - 1];
  return failed === undefined
    ? { kind: 'changed', result: toResult?.(row) as Result } // `undefined` without `toResult`
    : { kind: 'refused', reason: failed.reason } as Outcome<Reason, Result>; // every guard has a `Reason`
}

function decide(guards: readonly Guard[], { user, tokenId }: Origin, target?: Target): Statement {
  const numbers = raw(guards.map((_, index) => `(${index + 1})`).join());
  const failed = guards.reduce((before, { holds }, index) =>
    sql`${before} WHEN (${holds}) IS NOT TRUE THEN ${raw(`${index + 1}`)}`, raw(''));
  const join = target === undefined ? raw('') : sql`LEFT JOIN ${raw(target.table)} ON ${target.row}`;
  return sql`INSERT INTO refusal SELECT column1 FROM (VALUES ${numbers})
    WHERE column1 <= (SELECT CASE ${failed} ELSE 0 END FROM (SELECT 1)
      LEFT JOIN users AS caller ON caller.id = ${user?.id ?? null}
      LEFT JOIN tokens AS used_token ON used_token.id = ${tokenId ?? null} ${join})`;
}
