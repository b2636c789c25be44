/**
 * Changes under guards. A guard is one value: a condition of a change, and the refusal that it stands for.
 * Only guards decide, in the transaction of the change: a request may wait between its checks and its change,
 * for a password hash or for a cluster.
 *
 * The first statement of the batch decides. If the third guard is the first that fails, it inserts three rows
 * into the table `refusal`; if all hold, none. So the count of changed rows names the refusal, and the order
 * of the guards is the order of the refusals. Each write has the condition `ALLOWED`. The last statement
 * empties the table, which no other transaction ever sees filled.
 */
import { raw, sql, type Database, type Row, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { IdOrName } from '../model/name.ts';

/** A condition of a change, and the refusal of a change that does not meet it. */
export interface Guard<Reason extends string = string> {
  readonly reason: Reason;
  readonly holds: Statement;
}

interface Refused<Reason extends string> {
  readonly kind: 'refused';
  readonly reason: Reason;
}

/** All outcomes of a guarded change; outages are thrown. */
export type Outcome<Reason extends string, Result = unknown> =
  | { readonly kind: 'changed'; readonly result: Result }
  | Refused<Reason>;

/** The row that guards are about, as `table.column` in their SQL. Without a row, its columns are NULL. */
export interface Target {
  readonly table: 'users' | 'projects' | 'tokens';
  /** Selects the row. */
  readonly row: Statement;
}

interface GuardedChange<Reason extends string, Result> {
  /** Absent for a change that needs no row. */
  readonly target?: Target;
  /** In order of precedence. */
  readonly guards: readonly Guard<Reason>[];
  /** Every statement has the condition `ALLOWED`. */
  readonly writes: readonly Statement[];
  /** Reads the row for the result after the change. */
  readonly readBack?: Statement;
  /** @param row - The row of `readBack`; without `readBack`, an empty object. */
  readonly toResult: (row: Row) => Result;
}

/** @returns The same record, which may have a new name. */
export function renamed<Id>(ref: IdOrName<Id>, name: string | undefined): IdOrName<Id> {
  return name === undefined || ref === undefined || 'id' in ref ? ref : { name };
}

/** The condition of every write of a guarded change. */
export const ALLOWED = raw('NOT EXISTS (SELECT 1 FROM refusal)');

/** Without `WHERE`, SQLite would write a page even if the table is empty. */
const FORGET = raw('DELETE FROM refusal WHERE number > 0');

export function guard<const Reason extends string>(reason: Reason, holds: Statement): Guard<Reason> {
  return { reason, holds };
}

/**
 * The caller exists and is not disabled, and the password or the token of the sign-in is still valid. A
 * sign-in has a password or a token; the parameter of the other is NULL, so its comparison is never true. The
 * program itself needs no sign-in.
 */
export function isSignedIn({ signIn, user, passwordVersion, tokenId, at }: Origin) {
  return signIn === 'program' ? [] : [guard('unauthenticated', sql`EXISTS (
    SELECT 1 FROM users AS caller
    WHERE caller.id = ${user?.id ?? null} AND caller.disabled = 0 AND (
      caller.password_version = ${passwordVersion ?? null} OR EXISTS (
        SELECT 1 FROM tokens AS shown
        WHERE shown.id = ${tokenId ?? null} AND shown.user_id = caller.id
          AND shown.revoked_at IS NULL AND shown.expires_at > ${at}
      )
    ))`)];
}

/**
 * The caller is still an administrator, or the owner of the target.
 *
 * @param owner - An expression for the owner; NULL if only administrators may make the change.
 */
export function mayChange<const Reason extends string>(
  reason: Reason, { signIn, user }: Origin, owner: Statement,
) {
  return signIn === 'program' ? [] : [guard(reason, sql`EXISTS (
    SELECT 1 FROM users AS caller
    WHERE caller.id = ${user?.id ?? null} AND (caller.is_admin = 1 OR caller.id = ${owner}))`)];
}

/** The owner exists, and the caller may know of the owner: in a closed directory, others do not exist. */
export function exists<const Reason extends string>(reason: Reason, { only }: Origin, owner: Statement) {
  return guard(reason, sql`EXISTS (
    SELECT 1 FROM users AS seen WHERE seen.id = ${owner} AND seen.id = coalesce(${only ?? null}, seen.id))`);
}

/** The caller is signed in as an administrator. */
export function isAdministrator(origin: Origin) {
  return [...isSignedIn(origin), ...mayChange('administratorOnly', origin, raw('NULL'))];
}

/** The version that a record must have because of `If-Match`; `unmet` if a precondition fails. */
export type ExpectedVersion = number | 'any' | 'unmet';

/** Comes last: a precondition only matters if nothing else prevents the change (RFC 9110 §13.2.1). */
export function hasVersion(table: Target['table'], expected: ExpectedVersion) {
  const version = expected === 'unmet' ? null : expected; // equals nothing
  return expected === 'any' ? [] : [guard('preconditionFailed', sql`${raw(table)}.version = ${version}`)];
}

/** @returns The condition that selects the target if all guards hold. */
export const allowed = ({ row }: Target): Statement => sql`${row} AND ${ALLOWED}`;

/** Makes the writes of a change, its audit event among them, if all guards hold. */
export async function changeIf<Reason extends string, Result>(
  database: Database, { target, guards, writes, readBack, toResult }: GuardedChange<Reason, Result>,
): Promise<Outcome<Reason, Result>> {
  const statements = [decide(guards, target), ...writes, FORGET];
  const { counts: [number], row } = await database.change(statements, readBack);
  const failed = number === undefined ? undefined : guards[number - 1];
  return failed === undefined
    ? { kind: 'changed', result: toResult(row ?? {}) }
    : { kind: 'refused', reason: failed.reason };
}

/** @returns The statement that inserts as many rows as the number of the first guard that does not hold. */
function decide(guards: readonly Guard[], target?: Target): Statement {
  const numbers = raw(guards.map((_, index) => `(${index + 1})`).join());
  const cases = guards.map(({ holds }, index) => `WHEN (${holds.sql}) IS NOT TRUE THEN ${index + 1}`);
  const failed = { sql: cases.join(' '), parameters: guards.flatMap(({ holds }) => holds.parameters) };
  const join = target === undefined ? raw('') : sql`LEFT JOIN ${raw(target.table)} ON ${target.row}`;
  return sql`INSERT INTO refusal SELECT column1 FROM (VALUES ${numbers})
    WHERE column1 <= (SELECT CASE ${failed} ELSE 0 END FROM (SELECT 1) ${join})`;
}
