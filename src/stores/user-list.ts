/**
 * Lists of users with their projects, as text. An ordinary page is one statement and one text. A page with
 * more than a megabyte of projects is made in slices while it is sent, so that it holds neither the process
 * nor its memory.
 */
import type { Database } from '../database/database.ts';
import type { NameSearch } from '../model/name.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../model/page.ts';
import type { UserFilter } from '../model/user.ts';
import { integer, integerOrNone, text, textOrNone } from './columns.ts';
import { findPage, toOrderTerm, type PageSource } from './paging.ts';
import { toTotal } from './totals.ts';
import { findFew, isEverybody, toUserSet } from './user-filter.ts';

/** By what a list is sorted. Ids are assigned in the order of creation. */
const SORT_COLUMNS = { id: 'users.id', username: 'users.username_key', date_created: 'users.id' };

export interface UserQuery {
  readonly search: NameSearch;
  readonly page: PageRequest;
  readonly sort?: SortOrder<keyof typeof SORT_COLUMNS>;
  /** Nobody is left out unless given. */
  readonly filter?: UserFilter;
}

const EVERYBODY: UserFilter = { isAdmin: undefined, isDisabled: undefined };

/** A list holds no more of a user's projects, the first by id. */
const PROJECTS_LISTED_MAX = 100;

/** Of projects, in one text. */
const SLICE_BYTES_MAX = 1_048_576;

/**
 * The projects of the user whose row of `users` the statement is at. The index holds them by id; taking them
 * from it directly, where all are listed, saves a tenth of the time of a page.
 */
const PROJECTS = `iif(project_count <= ${PROJECTS_LISTED_MAX},
  (
    SELECT group_concat(head || users.summary, '},') || '}'
    FROM projects INDEXED BY projects_by_owner WHERE owner_id = users.id
  ),
  (
    SELECT group_concat(head || users.summary, '},') || '}'
    FROM (SELECT head FROM projects WHERE owner_id = users.id ORDER BY id LIMIT ${PROJECTS_LISTED_MAX})
  )
)`;

/** Between two users, and after the last one. */
const END_OF_USER = ']}';

export async function listUsers(
  database: Database,
  { search, page, sort = BY_ID, filter = EVERYBODY }: UserQuery,
): Promise<JsonPage> {
  const order = toOrderTerm(sort, SORT_COLUMNS);
  const among = toUserSet(filter);
  const source = search.kind === 'all'
    ? findPage('users', { search, page, order, among: isEverybody(filter) ? undefined : among })
    : findPage('users', { search, page, order, among, ids: await findFew(database, among) });
  const [row = {}] = await database.read(
    { sql: toWholePage(source), parameters: source.with.parameters }, 'recent',
  );
  if (integer(row, 'bytes') > SLICE_BYTES_MAX) {
    return listInSlices(database, source, page);
  }
  const items = textOrNone(row, 'items');
  const [count, hasNext] = [integer(row, 'count'), integer(row, 'has_next') === 1];
  return {
    items: items === undefined ? '' : items + END_OF_USER,
    count,
    hasNext,
    total: toTotal(integerOrNone(row, 'total'), page, { count, hasNext }),
  };
}

/**
 * The items without the end of the last one; NULL for none, and where the projects would be too long for one
 * text.
 */
function toWholePage({ with: { sql }, rows, order, hasNext, total }: PageSource): string {
  return `
    WITH ${sql}
    SELECT count, bytes, ${hasNext} AS has_next, ${total('count')}, iif(bytes > ${SLICE_BYTES_MAX}, NULL, (
      SELECT group_concat(item, '${END_OF_USER},') FROM (
        SELECT iif(project_count = 0, listed_head, listed_head || ${PROJECTS}) AS item
        FROM ${rows} ORDER BY ${order}
      )
    )) AS items
    FROM (SELECT count(*) AS count, coalesce(sum(project_bytes), 0) AS bytes FROM ${rows})`;
}

/** A user of a page whose projects are still to be read. */
interface ListedUser {
  readonly id: number;
  readonly head: string;
  /** About how long the projects are that the list shows. */
  readonly bytes: number;
}

async function listInSlices(
  database: Database, source: PageSource, page: PageRequest,
): Promise<JsonPage> {
  const { with: { sql, parameters }, rows, order, hasNext, total } = source;
  const found = await database.read({
    sql: `
      WITH ${sql}
      SELECT users.id, listed_head AS head, ${hasNext} AS has_next, ${total('0')},
        project_bytes * min(${PROJECTS_LISTED_MAX}, project_count) / max(1, project_count) AS bytes
      FROM ${rows} ORDER BY ${order}`,
    parameters,
  }, 'recent');
  const users = found.map(
    (row) => ({ id: integer(row, 'id'), head: text(row, 'head'), bytes: integer(row, 'bytes') }),
  );
  const [first = { total: null, has_next: 0 }] = found;
  const [count, isFollowed] = [users.length, integer(first, 'has_next') === 1];
  return {
    items: readSlices(database, users),
    count,
    hasNext: isFollowed,
    total: toTotal(integerOrNone(first, 'total'), page, { count, hasNext: isFollowed }),
  };
}

/** A user who is deleted meanwhile is shown without projects: `Count` has been sent. */
async function* readSlices(database: Database, users: readonly ListedUser[]): AsyncGenerator<string> {
  let separator = '';
  for (const slice of toSlices(users)) {
    const rows = await database.read({
      sql: `
        SELECT users.id, ${PROJECTS} AS projects
        FROM json_each(?) AS listed CROSS JOIN users ON users.id = listed.value WHERE project_count > 0`,
      parameters: [JSON.stringify(slice.map(({ id }) => id))],
    }, 'recent');
    const projects = new Map(rows.map((row) => [integer(row, 'id'), textOrNone(row, 'projects')]));
    yield separator + slice.map(({ id, head }) => head + (projects.get(id) ?? '') + END_OF_USER).join(',');
    separator = ',';
  }
}

/** Parts users so that the projects of each part fit into a slice, or are those of one user. */
function* toSlices(users: readonly ListedUser[]): Generator<readonly ListedUser[]> {
  let slice: ListedUser[] = [];
  let bytes = 0;
  for (const user of users) {
    if (slice.length > 0 && bytes + user.bytes > SLICE_BYTES_MAX) {
      yield slice;
      [slice, bytes] = [[], 0];
    }
    slice.push(user);
    bytes += user.bytes;
  }
  yield slice;
}
