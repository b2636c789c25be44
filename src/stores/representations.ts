/**
 * The JSON of users and projects, which SQLite makes: a list of 1000 users takes a quarter of the time that
 * it takes from rows that become objects that become text. Texts are only ever put together, never taken
 * apart again.
 *
 * These tables of members are the one place that says which members a record has, and in which order.
 */

import type { Row } from '../database/database.ts';
import { integer, text } from './columns.ts';

/** A record as it is shown, as JSON text. */
export interface Representation {
  readonly id: number;
  /** Counts the changes of the record, those of what is not shown included; see schema.ts. */
  readonly version: number;
  readonly json: string;
}

/** How a column becomes JSON. */
const KINDS = {
  integer: (column: string) => column,
  text: (column: string) => `json_quote(${column})`,
  boolean: (column: string) => `iif(${column}, 'true', 'false')`,
};

type Members = Readonly<Record<string, { readonly column: string; readonly kind: keyof typeof KINDS }>>;

/** The members of a user before `projects`. */
const USER = {
  id: { column: 'id', kind: 'integer' },
  username: { column: 'username', kind: 'text' },
  email: { column: 'email', kind: 'text' },
  date_created: { column: 'date_created', kind: 'text' },
  is_admin: { column: 'is_admin', kind: 'boolean' },
  disabled: { column: 'disabled', kind: 'boolean' },
  projects_total: { column: 'project_count', kind: 'integer' },
} as const satisfies Members;

/** The members of a project before `owner`. */
const PROJECT = {
  id: { column: 'id', kind: 'integer' },
  name: { column: 'name', kind: 'text' },
  description: { column: 'description', kind: 'text' },
  date_created: { column: 'date_created', kind: 'text' },
} as const satisfies Members;

/** As the owner of a project. */
export const USER_SUMMARY = `${toOpenObject(USER, ['username', 'email'])} || '}'`;

/** As the answer to a creation. */
export const CREATED_USER = `${toOpenObject(USER, ['username', 'email', 'id', 'date_created'])} || '}'`;

/** As an item of a list; the projects and `]}` are to follow. */
const LISTED = ['id', 'username', 'email', 'date_created', 'is_admin', 'disabled', 'projects_total'] as const;
export const LISTED_USER_HEAD = `${toOpenObject(USER, LISTED)} || ',"projects":['`;

/** As a record of its own; the projects and `]}` are to follow. */
export const USER_HEAD = `${toOpenObject(USER)} || ',"projects":['`;

/** The summary of the owner and `}` are to follow. */
export const PROJECT_HEAD = `${toOpenObject(PROJECT)} || ',"owner":'`;

/**
 * An aggregate over rows of projects within a statement at their owner's row of users: their JSON, separated
 * by commas; NULL without rows.
 */
export const PROJECTS_OF_USER = `group_concat(head || users.summary, '},') || '}'`;

/**
 * Lists of users read the column `short_projects` rather than the projects, which makes a page of 50 users
 * three times as fast, and one of 1000 users five times. The bound keeps a change of one project from writing
 * much, and a list of 1000 users within 3 MB. A row with such a text fits into one page of the file.
 */
const SHORT_PROJECTS_BYTES_MAX = 2_048;

/**
 * @param count - How many projects the user owns, an expression.
 * @param bytes - How long their `head` columns are together, an expression.
 * @returns An expression for a row of users: their projects, or NULL when these are long. Each project counts
 *   with its owner and `},`.
 */
export function shortProjects(count = 'project_count', bytes = 'project_bytes'): string {
  return `iif(
       (${bytes}) + (${count}) * (octet_length(summary) + 2) > ${SHORT_PROJECTS_BYTES_MAX}, NULL,
       (SELECT coalesce(${PROJECTS_OF_USER}, '')
        FROM (SELECT head FROM projects WHERE owner_id = users.id ORDER BY id)))`;
}

/** @returns An expression: a JSON object without its closing brace. */
function toOpenObject<Name extends string>(
  members: Readonly<Record<Name, Members[string]>>,
  names: readonly Name[] = Object.keys(members) as Name[], // they are the names
): string {
  const parts = names.map((name) => `"${name}":' || ${KINDS[members[name].kind](members[name].column)}`);
  return `'{${parts.join(" || ',")}`;
}

/** @param row - With the columns `id`, `version` and `json`. */
export function toRepresentation(row: Row): Representation {
  return { id: integer(row, 'id'), version: integer(row, 'version'), json: text(row, 'json') };
}
