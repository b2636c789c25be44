/**
 * The JSON of users and projects, made by SQLite in a quarter of the time that converting rows to objects and
 * then to text would take. SQLite only concatenates the texts of JSON, and never parses these texts again.
 */

export const text = (column: string) => `json_quote(${column})`;
const flag = (column: string) => `iif(${column}, 'true', 'false')`;

const SUMMARY = { username: text('username'), email: text('email') };
const DATE_CREATED = `'"', date_created, '"'`; // a `Timestamp` in JSON needs no escapes

/** @param members - SQL expressions by name, joined by one `concat`, which is faster than many `||`. */
export function toObject(members: Readonly<Record<string, string>>, end = '}'): string {
  const parts = Object.entries(members).map(([name, json]) => `"${name}":', ${json}`);
  return `concat('{${parts.join(", ',")}, '${end}')`;
}

export const USER_SUMMARY = toObject(SUMMARY);
export const CREATED_USER = toObject({ ...SUMMARY, id: 'id', date_created: DATE_CREATED });

/** The JSON of a user up to the number of projects, and of a project up to the owner. */
export const USER_HEAD = toObject({
  id: 'id', ...SUMMARY, date_created: DATE_CREATED, is_admin: flag('is_admin'), disabled: flag('disabled'),
}, ',"projects_total":');
export const PROJECT_HEAD = toObject({
  id: 'id', name: text('name'), description: text('description'), date_created: DATE_CREATED,
}, ',"owner":');

/** The key that orders tokens by expiry; the id makes the key unique. */
export const EXPIRY_KEY = "expires_at || printf('%016d', id)";

/** The JSON of a project, for a query with `OWNER_JOIN`. */
export const PROJECT_JSON = "concat(projects.head, users.summary, '}')";
export const OWNER_JOIN = 'CROSS JOIN users ON users.id = owner_id';

/** The most bytes of the array `projects`, in a reply with a single user and in each user of a list. */
export const SHOWN_BYTES_MAX = 262_144;
export const LISTED_BYTES_MAX = 4_096;

/**
 * The id of the first project that makes the array `projects` longer than `bytesMax`; NULL if all projects
 * fit. `LIMIT` makes SQLite stop at the found project, and `octet_length` reads no texts.
 */
export const toFirstBeyond = (bytesMax: number) => `(
         SELECT id FROM (
           SELECT id, sum(octet_length(head) + octet_length(users.summary) + 2)
             OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS bytes
           FROM projects WHERE owner_id = users.id
         ) WHERE bytes >= ${bytesMax} LIMIT 1
       )`;

/** @param beyond - The id of the first project that is left out, or NULL. */
export const toProjectsBefore = (beyond: string) => `(
         SELECT coalesce(group_concat(head || users.summary, '},') || '}', '')
         FROM (
           SELECT head FROM projects WHERE owner_id = users.id AND id < coalesce(${beyond}, x'') ORDER BY id
         )
       )`;

/** The projects in lists of users. Without a column for them, a page of 1000 users is five times as slow. */
export const LISTED_PROJECTS = toProjectsBefore(toFirstBeyond(LISTED_BYTES_MAX));

/**
 * The JSON of a user without the closing brace, made of these parts:
 *
 *     {"id":1,"username":"ada",…,"projects_total":  2  ,"projects":[  {"id":7,…,"owner":{…}},{…}  ]
 *     head                                 project_count               projects
 */
export const toUserJson = (projects: string) =>
  `head || project_count || ',"projects":[' || ${projects} || ']'`;
