/** The stops of the walk, and the lines of code to show at each. README.md is made of them. */
import type { Excerpt } from '../support/sources.ts';

/** The request that the walk follows; a test sends it. */
export const COMMAND = `curl -i -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \\
  -d '{"name": "looms", "description": "On the Analytical Engine"}' http://127.0.0.1:8080/api/v1/projects`;

/** The first line, one field and the body of the response. */
export const RESPONSE = `HTTP/1.1 201 Created
Location: /api/v1/projects/2

{"id":2,"name":"looms","description":"On the Analytical Engine","date_created":"2026-01-31T12:05:00.000Z",\
"owner":{"username":"ada","email":"ada@example.org"}}`;

/** The line of the log. */
export const LOG_LINE = '{"time":"2026-01-31T12:05:00.004Z","level":"info","message":"request",' +
  '"request_id":"0b0e7c52-64a5-4bb4-9be0-8a2c0c7f4b64","method":"POST","route":"/api/v1/projects",' +
  '"status":201,"duration_ms":4.127,"bytes":159,"address":"127.0.0.1","user_id":1,"sign_in":"token"}';

interface Step {
  readonly title: string;
  /** Markdown. */
  readonly says: string;
  readonly excerpts: readonly Excerpt[];
}

export const steps: readonly Step[] = [
  {
    title: 'From the socket to one request at a time',
    says: `
Node.js parses the bytes and calls the listener, which has set limits and deadlines. The listener gives each
request to the pipeline. A client may send several requests in one packet; the pipeline answers them in order,
so that a request sees the effects of the one before it. Requests of different connections that arrive in the
same turn of the event loop start together, at most sixteen at a time.`,
    excerpts: [
      { from: "server.on('request', pipeline.receive)" },
    ],
  },
  {
    title: 'The life of a request, on one screen',
    says: `
\`identify\` gives the request an id and finds the client's address. \`follow\` takes its steps. \`complete\`
turns the outcome into a reply, with the headers that every response has. Only here does an error become
a reply. A refusal is a value; whatever is thrown is an outage or a bug.`,
    excerpts: [
      { from: 'const arrival = identify(incoming);', to: 'return reply;' },
    ],
  },
  {
    title: 'Which operation is it?',
    says: `
\`follow\` refuses ambiguous framing first, because a proxy might read it differently. It parses the target
and asks the router, which compares the segments with those of each path, literal ones first.`,
    excerpts: [
      { from: 'const match = findRoutes(target.segments);', to: 'arrival.operation = operation;' },
    ],
  },
  {
    title: 'An operation is one value',
    says: `
This is what the router has found. Everything that the service knows about "create a project" is here: where
it is, who may call it, which body it takes, what it replies, and what it may refuse. The router, the access
check, the validator, the API document and the tests read the same value. The schema of the body carries its
TypeScript type.`,
    excerpts: [
      { from: 'const optionalMembers =', to: 'const newProject =' },
      { from: '  createProject: operation({', to: 'refuses: [' },
    ],
  },
  {
    title: 'Who is calling?',
    says: `
The bytes of the body are received first, under the limit of this operation. Only then is the caller checked:
otherwise a token that is revoked during a slow upload would still count. The \`Authorization\` field holds a
password or a token; each has its own check.`,
    excerpts: [
      { from: '// The caller is checked when the body is there', to: '    }' },
      { from: 'const outcome = await authenticate(incoming.headers', to: '    }' },
    ],
  },
  {
    title: 'A token is looked up by its digest',
    says: `
A token with a wrong checksum costs no query. The database holds only the SHA-256 of a token, so a stolen
database signs nobody in. One statement finds a valid token and its owner. No other row has been read so far,
so a caller who is refused learns nothing about what exists.`,
    excerpts: [
      { from: 'export function parseToken(token: string)', to: '}' },
      { from: 'const FIND_WITH_OWNER = `', to: 'AND disabled = 0`' },
    ],
  },
  {
    title: 'From bytes to a valid value',
    says: `
Now the body is parsed. It must be JSON, be declared as JSON, and match the schema. All mistakes are reported
at once. Only a request that reaches its handler counts against the hourly changes of a user.`,
    excerpts: [
      { from: 'const complaints = validate(value);\n    if', to: '    }' },
      { from: 'const body = rule && received', to: 'const { path, query } = target;' },
    ],
  },
  {
    title: 'The handler',
    says: `
The handler gets values of the types that the operation declares. It decides who owns the project and asks the
store. It has no SQL and no status codes. A refusal that the operation has not listed does not compile.`,
    excerpts: [
      { from: 'const { name, description = ', to: ': { json: outcome.result.json' },
    ],
  },
  {
    title: 'The statement decides',
    says: `
The statements form one atomic batch. The first one decides: if the third guard is the first that fails, it
inserts three rows into the table \`refusal\`; if none fails, no row. The guards are: the sign-in is still
valid, the caller may know of the owner, may create projects for them, the owner has room, and the name is
free. With no row in \`refusal\`, the next two statements insert the project and the audit event; otherwise
they do nothing, and the number of rows names the refusal. The last one empties \`refusal\` again. Then the
project is read back as JSON, which SQLite makes.`,
    excerpts: [
      {
        from: 'insert({ name, description, owner }: NewProject',
        to: '    },',
      },
      { from: 'export async function changeIf<', to: '}' },
      { from: 'return sql`INSERT INTO refusal SELECT', to: '}' },
      { from: 'export function toAuditStatement(', to: '}' },
    ],
  },
  {
    title: 'To the disk',
    says: `
Batches that arrive in the same turn of the event loop share one transaction, and so one wait for the disk
(group commit). If a batch fails, all others of the group run again without it. Promises are settled only
after \`COMMIT\`, and with \`synchronous = full\` SQLite returns from it when the write-ahead log is on the
disk.`,
    excerpts: [
      { from: 'function commit(group: readonly', to: '  }' },
    ],
  },
  {
    title: 'And back',
    says: `
The outcome becomes \`{ json, location }\`, then a reply with the status that the operation has declared. The
app adds the common headers and writes the line of the log. \`send\` writes the reply to the socket, in one
piece, since it is short.`,
    excerpts: [
      { from: 'const reply = await answer(incoming, arrivedAtMs)', to: 'send(response, reply,' },
    ],
  },
];
