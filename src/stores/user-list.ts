/**
 * Lists users with their projects, as JSON text. A page of users who own few projects takes one statement.
 * Projects of users who own many are read by a second statement. A page of more than a megabyte is generated
 * in slices while it is sent, so it neither blocks the process nor fills its memory.
 */
import { integer, integerOrNone, text, textOrNone, type Database } from '../database/database.ts';
import type { NameSearch } from '../model/name.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../model/page.ts';
import type { UserFilter } from '../model/user.ts';
import { findPage, toOrderTerm, toWindow, type PageSource } from './paging.ts';
import { beginProjects, joinProjects } from './representations.ts';
import { toTotal } from './totals.ts';
import { findFew, findNamesInOrder, isEverybody, isOfAll, toUserSet } from './user-filter.ts';

/** The sort keys of a list. Ids are assigned in order of creation. */
const SORT_COLUMNS = { id: 'users.id', username: 'users.username_key', date_created: 'users.id' };

export interface UserQuery {
  readonly search: NameSearch;
  readonly page: PageRequest;
  readonly sort?: SortOrder<keyof typeof SORT_COLUMNS>;
  /** Without a filter, the list has all users. */
  readonly filter?: UserFilter;
}

const EVERYBODY: UserFilter = { isAdmin: undefined, isDisabled: undefined };

/** The most projects of a user that a list shows, the first by id. */
const PROJECTS_LISTED_MAX = 100;

/** Up to this offset, skipping candidates of a search takes no longer than a millisecond or two. */
const EARLY_OFFSET_MAX = 1_000;

/** The most bytes of projects in one slice. */
const SLICE_BYTES_MAX = 1_048_576;

/** The text between two users, and after the last one. */
const END_OF_USER = ']}';

export async function listUsers(
  database: Database,
  { search, page, sort = BY_ID, filter = EVERYBODY }: UserQuery,
): Promise<JsonPage> {
  const source = await findUsers(database, { search, page, sort, filter });
  const { with: { sql, parameters }, rows } = source;
  const [row = {}] = await database.read({
    sql: `
      WITH ${sql}
      SELECT count(*) AS count, count(short_projects) AS short_count, ${source.hasNext} AS has_next,
        ${source.total('count(*)')},
        group_concat(head || short_projects, '${END_OF_USER},') AS items
      FROM (SELECT head, short_projects FROM ${rows} ORDER BY ${source.order})`,
    parameters,
  }, 'recent'); // an aggregate always has one row
  const [count, hasNext] = [integer(row, 'count'), integer(row, 'has_next') === 1];
  if (count > integer(row, 'short_count')) {
    return listLongProjects(database, source, page);
  }
  const items = textOrNone(row, 'items');
  return {
    items: items === undefined ? '' : items + END_OF_USER,
    count,
    hasNext,
    total: toTotal(integerOrNone(row, 'total'), page, { count, hasNext }),
  };
}

/** Finds the users of a page. The fastest way depends on the number of users who match. */
async function findUsers(
  database: Database, { search, page, sort, filter }: Required<UserQuery>,
): Promise<PageSource> {
  const order = toOrderTerm(sort, SORT_COLUMNS);
  const set = toUserSet(filter);
  const query = { search, page, order, among: isEverybody(filter) ? undefined : set };
  if (search.kind === 'all') {
    return findPage('users', query);
  }
  const ids = await findFew(database, set);
  const isByName = sort.by === 'username';
  const isSlowByCandidates = isByName || !isOfAll(set) || toWindow(page).offset > EARLY_OFFSET_MAX;
  const names = ids === undefined && isSlowByCandidates
    ? await findNamesInOrder(database, search, set, isByName)
    : undefined;
  return findPage('users', { ...query, ids, names });
}

/** A user of a page. */
interface ListedUser {
  readonly id: number;
  /** The JSON up to the end of the projects, or up to their beginning if they are long and not read yet. */
  readonly head: string;
  /** The approximate length of projects that are not read yet. */
  readonly bytes: number;
}

async function listLongProjects(
  database: Database, source: PageSource, page: PageRequest,
): Promise<JsonPage> {
  const { with: { sql, parameters }, rows } = source;
  const found = await database.read({
    sql: `
      WITH ${sql}
      SELECT users.id, ${source.hasNext} AS has_next, ${source.total('0')},
        head || coalesce(short_projects, ${beginProjects('project_count')}) AS head,
        iif(
          short_projects IS NULL,
          (project_bytes + project_count * octet_length(summary))
            * min(${PROJECTS_LISTED_MAX}, project_count) / max(1, project_count),
          0
        ) AS bytes
      FROM ${rows} ORDER BY ${source.order}`,
    parameters,
  }, 'recent');
  const slices = [...toSlices(
    found.map((row) => ({ id: integer(row, 'id'), head: text(row, 'head'), bytes: integer(row, 'bytes') })),
  )];
  const [slice = []] = slices;
  const [first = { total: null, has_next: 0 }] = found;
  const [count, hasNext] = [found.length, integer(first, 'has_next') === 1];
  return {
    items: slices.length === 1 ? await readSlice(database, slice) : readSlices(database, slices),
    count,
    hasNext,
    total: toTotal(integerOrNone(first, 'total'), page, { count, hasNext }),
  };
}

type Slice = readonly ListedUser[];

async function* readSlices(database: Database, slices: readonly Slice[]): AsyncGenerator<string> {
  let separator = '';
  for (const slice of slices) {
    yield separator + await readSlice(database, slice);
    separator = ',';
  }
}

/** Reads a slice. A user deleted meanwhile is shown without projects, because `Count` may be sent already. */
async function readSlice(database: Database, slice: Slice): Promise<string> {
  const rows = await database.read({
    sql: `
      SELECT users.id, ${joinProjects(PROJECTS_LISTED_MAX)} AS projects
      FROM json_each(?) AS listed CROSS JOIN users ON users.id = listed.value`,
    parameters: [JSON.stringify(slice.filter(({ bytes }) => bytes > 0).map(({ id }) => id))],
  }, 'recent');
  const projects = new Map(rows.map((row) => [integer(row, 'id'), textOrNone(row, 'projects')]));
  return slice.map(({ id, head }) => head + (projects.get(id) ?? '') + END_OF_USER).join(',');
}

/** Splits users into groups whose projects fit into one slice. A user with more projects is a group alone. */
function* toSlices(users: readonly ListedUser[]): Generator<Slice> {
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
