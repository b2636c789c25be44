/**
 * SQLite makes the JSON of users and projects. JavaScript would need four times as long to convert rows to
 * JSON. To combine pieces of JSON, SQLite only concatenates their text, without parsing.
 */

export const text = (column: string) => `json_quote(${column})`;
const flag = (column: string) => `iif(${column}, 'true', 'false')`;

const SUMMARY = { username: text('username'), email: text('email') };
const DATE_CREATED = `'"', date_created, '"'`; // a `Timestamp` in JSON needs no escapes

/** @param members - The SQL of each value by member name. One `concat` is faster than many `||` operators. */
export function toObject(members: Readonly<Record<string, string>>, end = '}'): string {
  const parts = Object.entries(members).map(([name, json]) => `"${name}":', ${json}`);
  return `concat('{${parts.join(", ',")}, '${end}')`;
}

export const USER_SUMMARY = toObject(SUMMARY);
export const CREATED_USER = toObject({ ...SUMMARY, id: 'id', date_created: DATE_CREATED });

/** The JSON of a user, cut off after `"projects_total":`; the JSON of a project, cut off after `"owner":`. */
export const USER_HEAD = toObject({
  id: 'id', ...SUMMARY, date_created: DATE_CREATED, is_admin: flag('is_admin'), disabled: flag('disabled'),
}, ',"projects_total":');
export const PROJECT_HEAD = toObject({
  id: 'id', name: text('name'), description: text('description'), date_created: DATE_CREATED,
}, ',"owner":');

/** The key for sorting tokens by expiry. The id at the end makes each key unique. */
export const EXPIRY_KEY = "expires_at || printf('%016d', id)";

/** SQL for the JSON of a project. A query that uses this SQL must contain `OWNER_JOIN`. */
export const PROJECT_JSON = "concat(projects.head, users.summary, '}')";
export const OWNER_JOIN = 'CROSS JOIN users ON users.id = owner_id';

/** The maximum size of the array `projects` in bytes, in a reply about one user. */
export const SHOWN_BYTES_MAX = 262_144;
/** The maximum size of `projects` in lists of users. A new maximum needs an upgrade of stored arrays. */
export const LISTED_BYTES_MAX = 4_096;

/**
 * The id of the first project that does not fit into an array `projects` of `bytesMax` bytes. If all projects
 * fit, the result is NULL. With `LIMIT`, SQLite stops at the first project that it finds.
 */
export const toFirstBeyond = (bytesMax: number) => `(
         SELECT id FROM (
           SELECT id, sum(octet_length(head) + octet_length(users.summary) + 2)
             OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS bytes
           FROM projects WHERE owner_id = users.id
         ) WHERE bytes >= ${bytesMax} LIMIT 1
       )`;

/** @param beyond - SQL for the id of the first project to leave out. If NULL, no project is left out. */
export const toProjectsBefore = (beyond: string) => `(
         SELECT coalesce(group_concat(head || users.summary, '},') || '}', '')
         FROM (
           SELECT head FROM projects WHERE owner_id = users.id AND id < coalesce(${beyond}, x'') ORDER BY id
         )
       )`;

/** SQL for the column `listed_projects`. Without this column, lists of users would be five times as slow. */
export const LISTED_PROJECTS = toProjectsBefore(toFirstBeyond(LISTED_BYTES_MAX));

/**
 * The JSON of a user consists of these parts, and a closing brace:
 *
 *     {"id":1,"username":"ada",…,"projects_total":  2  ,"projects":[  {"id":7,…,"owner":{…}},{…}  ]
 *     head                                 project_count               projects
 */
export const toUserJson = (projects: string) =>
  `head || project_count || ',"projects":[' || ${projects} || ']'`;
