/**
 * The list of users with their projects, in one statement: the records of the users come back as one text, those of all
 * their projects as another, both in the order of the users, and are joined here. Compared with one row for each user and
 * project, nothing but text crosses into JavaScript, and the projects of a page are read as one range.
 */
import type { Row, Statement } from '../database/database.ts';
import type { NameSearch, TextSearch } from '../model/name.ts';
import type { JsonPage, PageRequest } from '../model/page.ts';
import { integer, textOrNone } from './columns.ts';
import { findEndOfRecord, toIdsOfFoundUsers, toIdsOfSortedUsers, toSpanOfPage } from './pages.ts';

/**
 * @param order - The term of `ORDER BY`, unless the order is that of ids.
 * @returns A statement with one row: `users`, records, and `count`, how many they are; `projects`, records, and `owners`,
 *   the ids of their owners. All but the count are joined by commas, and `NULL` when there are none.
 */
export function toListStatement(search: NameSearch, page: PageRequest, order: string | undefined): Statement {
  if (order !== undefined) {
    return toSortedList(search, page, order);
  }
  return search.kind === 'all' ? toWholeList(page) : toFoundList(search, page);
}

/** A page over all users is a range of ids, which is cheaper to read than the rows of a list of ids. */
function toWholeList(page: PageRequest): Statement {
  const span = toSpanOfPage('users', page);
  const range = 'BETWEEN (SELECT first FROM span) AND (SELECT last FROM span)';
  return {
    sql: `
      WITH span AS MATERIALIZED (${span.sql})
      ${selectTexts({
        users: `users WHERE id ${range} ORDER BY id`,
        projects: `projects WHERE owner_id ${range} ORDER BY owner_id, id`,
      })}`,
    parameters: span.parameters,
  };
}

function toFoundList(search: TextSearch, page: PageRequest): Statement {
  const ids = toIdsOfFoundUsers(search, page);
  return {
    sql: `
      WITH page (id) AS MATERIALIZED (${ids.sql})
      ${selectTexts({
        users: 'page CROSS JOIN users USING (id) ORDER BY page.id',
        projects: 'page CROSS JOIN projects ON owner_id = page.id ORDER BY owner_id, projects.id',
      })}`,
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
      ${selectTexts({
        users: 'page CROSS JOIN users USING (id) ORDER BY place',
        projects: 'page CROSS JOIN projects ON owner_id = page.id ORDER BY place, projects.id',
      })}`,
    parameters: ids.parameters,
  };
}

/** @param sources - What follows `FROM` to get the rows in order. */
function selectTexts({ users, projects }: { readonly users: string; readonly projects: string }): string {
  return `
      SELECT users, count, owners, projects
      FROM (SELECT group_concat(record) AS users, count(*) AS count FROM (SELECT record FROM ${users}))
      CROSS JOIN (
        SELECT group_concat(owner_id) AS owners, group_concat(record) AS projects
        FROM (SELECT owner_id, record FROM ${projects})
      )`;
}

/**
 * Puts the projects of each user into the user's record. Those of one user are one part of the text, commas included, as a
 * user is one part with the comma before it. The text of the page grows as it goes, which costs less than joining a
 * thousand texts.
 *
 * @param row - That of `toListStatement`.
 */
export function toUserPage(row: Row, { sizeMax }: PageRequest): JsonPage {
  const users = textOrNone(row, 'users') ?? '';
  const projects = textOrNone(row, 'projects') ?? '';
  const owners = textOrNone(row, 'owners')?.split(',') ?? [];
  const total = integer(row, 'count');
  const count = Math.min(total, sizeMax);
  let userEnd = 0;
  let projectsEnd = 0;
  let next = 0; // of the projects
  let owner = toStart(owners[0]);
  let json = '';
  for (let index = 0; index < count; index += 1) {
    const start = userEnd;
    userEnd = findEndOfRecord(users, start);
    json += `${users.slice(start, userEnd - 1)},"projects":[`; // before the closing brace of the record
    if (users.startsWith(owner, index === 0 ? 0 : start + 1)) {
      const first = next;
      const projectsStart = first === 0 ? 0 : projectsEnd + 1;
      do {
        projectsEnd = findEndOfRecord(projects, projectsEnd);
        next += 1;
      } while (owners[next] === owners[first]);
      json += projects.slice(projectsStart, projectsEnd);
      owner = toStart(owners[next]);
    }
    json += ']}';
  }
  return { json: `[${json}]`, count, hasNext: total > count };
}

/** @returns How the record of that user begins; no record begins with that of nobody. */
function toStart(id: string | undefined): string {
  return `{"id":${id},`;
}
