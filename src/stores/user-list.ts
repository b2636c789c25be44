/**
 * The list of users with their projects, in one statement: two texts come back, the records of the users and those of all
 * their projects, both in the order of the users' ids, and are joined here. Compared with one row for each user and project,
 * nothing but text crosses into JavaScript, and the projects of a page are read as one range.
 */
import type { Statement } from '../database/database.ts';
import type { NameSearch, TextSearch } from '../model/name.ts';
import type { PageRequest } from '../model/page.ts';
import { RECORD_SEPARATOR_SQL, toIdsOfFoundUsers, toIdsOfPage, toIdsOfSortedUsers } from './pages.ts';

/** Separates an id from its record; JSON escapes this character wherever it occurs. */
const ID_SEPARATOR = '\x1f';
const ID_SEPARATOR_SQL = 'char(31)';

/**
 * @param order - The term of `ORDER BY`, unless the order is that of ids.
 * @returns A statement with one row: `users` and `projects`, records after their user's id, `NULL` when there are none.
 */
export function toListStatement(search: NameSearch, page: PageRequest, order: string | undefined): Statement {
  if (order !== undefined) {
    return toSortedList(search, page, order);
  }
  return search.kind === 'all' ? toWholeList(page) : toFoundList(search, page);
}

/** A page over all users is a range of ids, which is cheaper to read than the rows of a list of ids. */
function toWholeList(page: PageRequest): Statement {
  const ids = toIdsOfPage('users', page);
  return {
    sql: `
      SELECT
        ${toText('users', 'id', 'users WHERE id BETWEEN first AND last')} AS users,
        ${toText('projects', 'owner_id', 'projects WHERE owner_id BETWEEN first AND last')} AS projects
      FROM (SELECT min(id) AS first, max(id) AS last FROM (${ids.sql}))`,
    parameters: ids.parameters,
  };
}

function toFoundList(search: TextSearch, page: PageRequest): Statement {
  const ids = toIdsOfFoundUsers(search, page);
  return {
    sql: `
      WITH page (id) AS MATERIALIZED (${ids.sql})
      SELECT
        ${toText('users', 'id', 'page CROSS JOIN users USING (id)')} AS users,
        ${toText('projects', 'owner_id', 'page CROSS JOIN projects ON projects.owner_id = page.id')} AS projects`,
    parameters: ids.parameters,
  };
}

/** In another order the users of the page get numbers, by which both texts are put in order. */
function toSortedList(search: NameSearch, page: PageRequest, order: string): Statement {
  const ids = search.kind === 'all' ? toIdsOfSortedUsers(page, order) : toIdsOfFoundUsers(search, page, order);
  return {
    sql: `
      WITH page (id, place) AS MATERIALIZED (
        SELECT users.id, row_number() OVER (ORDER BY ${order}) FROM (${ids.sql}) CROSS JOIN users USING (id)
      )
      SELECT
        ${toText('users', 'id', 'page CROSS JOIN users USING (id)', 'page.place')} AS users,
        ${toText('projects', 'owner_id', 'page CROSS JOIN projects ON projects.owner_id = page.id', 'page.place, projects.id')} AS projects`,
    parameters: ids.parameters,
  };
}

/** A sub-select that makes one text of all records, each after its user's id, in the order of these or another. */
function toText(table: 'users' | 'projects', idColumn: string, source: string, order = `${table}.${idColumn}`): string {
  return `(SELECT group_concat(text, ${RECORD_SEPARATOR_SQL}) FROM (
          SELECT ${table}.${idColumn} || ${ID_SEPARATOR_SQL} || ${table}.record AS text FROM ${source} ORDER BY ${order}
        ))`;
}

/**
 * Puts each project into its owner's record.
 *
 * @param users - `<id>\x1f<record>`, in ascending order of ids.
 * @param projects - `<owner's id>\x1f<record>`, in the same order.
 * @returns The records of the users, each with a member `projects`.
 */
export function joinUsersAndProjects(users: readonly string[], projects: readonly string[]): readonly string[] {
  let next = 0;
  return users.map((user) => {
    const separator = user.indexOf(ID_SEPARATOR);
    const prefix = user.slice(0, separator + 1);
    const first = next;
    while (projects[next]?.startsWith(prefix)) {
      next += 1;
    }
    const owned = projects.slice(first, next).map((project) => project.slice(prefix.length)).join(',');
    return `${user.slice(separator + 1, -1)},"projects":[${owned}]}`; // before the closing brace of the record
  });
}
