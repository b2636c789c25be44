/**
 * Changes under guards. A guard is one value: a condition of a change, and the refusal that it stands for.
 * The conditions are part of the statement that makes the change, because a request may wait between its
 * checks and its change, for a password hash or for a cluster. If the statement changes nothing, one read
 * evaluates the same guards in order, and the first that fails is the reason.
 */
import { integerOf, type Database, type Row, type SqlValue, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toAuditStatement, type AuditedChange } from './audit.ts';

/** A condition of a change, named after the refusal of a change that does not meet it. */
export interface Guard<Reason extends string = string> extends Statement {
  readonly reason: Reason;
}

export interface Refused<Reason extends string> {
  readonly kind: 'refused';
  readonly reason: Reason;
}

/** All outcomes of a guarded change; outages are thrown. */
export type Outcome<Reason extends string, Result = unknown> =
  | { readonly kind: 'changed'; readonly result: Result }
  | Refused<Reason | 'tooManyConflicts'>;

/** The row that guards are about, as `table.column` in their SQL. Without a row, its columns are NULL. */
export interface Target {
  readonly table: 'users' | 'projects' | 'tokens';
  readonly column: 'id' | 'username_key';
  readonly value: SqlValue;
}

interface GuardedChange<Reason extends string, Result> {
  /** Absent for a change that needs no row. */
  readonly target?: Target;
  /** In order of precedence. */
  readonly guards: readonly Guard<Reason>[];
  /** @param condition - Selects the target if all guards hold. */
  readonly write: (condition: Statement) => Statement;
  readonly audit: AuditedChange;
  /** Statements after the audit event. They run even if nothing was changed, so each has a condition. */
  readonly then?: readonly Statement[];
  /** Reads the row for the result after the change. */
  readonly readBack?: Statement;
  /** @param row - The row of `readBack`; without `readBack`, an empty object. */
  readonly toResult: (row: Row) => Result;
}

/**
 * How often a change is tried if it changes nothing, although no guard fails a moment later. Each attempt
 * needs another change in between, so one repetition is rare, and two hardly ever happen.
 */
const ATTEMPTS_MAX = 5;

const CONFLICT = { kind: 'refused', reason: 'tooManyConflicts' } as const;

/**
 * The caller exists and is not disabled, and the password or the token of the sign-in is still valid. A
 * sign-in has a password or a token. The parameter of the other is NULL, which no comparison finds equal.
 */
const IS_SIGNED_IN = `EXISTS (
  SELECT 1 FROM users AS caller
  WHERE caller.id = ? AND caller.disabled = 0 AND (
    caller.password_version = ? OR EXISTS (
      SELECT 1 FROM tokens AS shown
      WHERE shown.id = ? AND shown.user_id = caller.id
        AND shown.revoked_at IS NULL AND shown.expires_at > ?
    )
  ))`;

export function guard<const Reason extends string>(
  reason: Reason, sql: string, parameters: readonly SqlValue[] = [],
): Guard<Reason> {
  return { reason, sql, parameters };
}

/** The sign-in of the caller is still valid. The program itself needs none. */
export function isSignedIn({ signIn, user, passwordVersion, tokenId, at }: Origin) {
  const parameters = [user?.id ?? null, passwordVersion ?? null, tokenId ?? null, at];
  return signIn === 'program' ? [] : [guard('unauthenticated', IS_SIGNED_IN, parameters)];
}

/**
 * The caller is still an administrator, or the owner of the target.
 *
 * @param owner - A column that names the owner; NULL if only administrators may make the change.
 */
export function mayChange<const Reason extends string>(
  reason: Reason, { signIn, user }: Origin, owner: string,
) {
  const sql = `EXISTS (
    SELECT 1 FROM users AS caller WHERE caller.id = ? AND (caller.is_admin = 1 OR caller.id = ${owner}))`;
  return signIn === 'program' ? [] : [guard(reason, sql, [user?.id ?? null])];
}

/** The caller is signed in as an administrator. */
export function isAdministrator(origin: Origin) {
  return [...isSignedIn(origin), ...mayChange('administratorOnly', origin, 'NULL')];
}

/** The version that a record must have because of `If-Match`; `unmet` if a precondition fails. */
export type ExpectedVersion = number | 'any' | 'unmet';

/** Comes last: a precondition only matters if nothing else prevents the change (RFC 9110 §13.2.1). */
export function hasVersion(table: Target['table'], expected: ExpectedVersion) {
  const version = expected === 'unmet' ? null : expected; // equals nothing
  return expected === 'any' ? [] : [guard('preconditionFailed', `${table}.version = ?`, [version])];
}

/** Makes the change, with its audit event, if all guards hold. */
export async function changeIf<Reason extends string, Result>(
  database: Database, change: GuardedChange<Reason, Result>, origin: Origin,
): Promise<Outcome<Reason, Result>> {
  const { target, guards, write, audit, then = [], readBack, toResult } = change;
  const statements = [write(allOf(guards, target)), toAuditStatement(audit, origin), ...then];
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { counts: [changed], row } = await database.change(statements, readBack);
    if (changed !== 0) {
      const isGone = readBack !== undefined && row === undefined; // deleted by another request since
      return isGone ? CONFLICT : { kind: 'changed', result: toResult(row ?? {}) };
    }
    const failed = await findFailed(database, guards, target);
    if (failed !== undefined) {
      return failed;
    }
  }
  return CONFLICT;
}

/** @returns The condition that selects the target if all guards hold. */
function allOf(guards: readonly Guard[], target?: Target): Statement {
  const conditions = guards.map(({ sql }) => `(${sql})`);
  const parameters = guards.flatMap((each) => each.parameters);
  return target === undefined
    ? { sql: ['TRUE', ...conditions].join(' AND '), parameters }
    : {
      sql: [`${target.table}.${target.column} = ?`, ...conditions].join(' AND '),
      parameters: [target.value, ...parameters],
    };
}

/** @returns The first guard that does not hold now, as a refusal. */
async function findFailed<Reason extends string>(
  database: Database, guards: readonly Guard<Reason>[], target?: Target,
): Promise<Refused<Reason> | undefined> {
  const cases = guards.map(({ sql }, index) => `WHEN (${sql}) IS NOT TRUE THEN ${index}`);
  const join = target && `LEFT JOIN ${target.table} ON ${target.table}.${target.column} = ?`;
  const [row] = guards.length === 0 ? [] : await database.read({
    sql: `SELECT CASE ${cases.join(' ')} ELSE -1 END AS failed FROM (SELECT 1) ${join ?? ''}`,
    parameters: [...guards.flatMap(({ parameters }) => parameters), ...(target ? [target.value] : [])],
  });
  const failed = row && guards[integerOf(row, 'failed')];
  return failed && { kind: 'refused', reason: failed.reason };
}

/** @returns Assignments for `UPDATE … SET`, of the columns that have a value. */
export function assign(columns: Readonly<Record<string, SqlValue | undefined>>): Statement {
  const given = Object.entries(columns).flatMap(
    ([column, value]) => value === undefined ? [] : [{ column, value }],
  );
  return {
    sql: given.map(({ column }) => `${column} = ?, `).join(''), parameters: given.map(({ value }) => value),
  };
}
