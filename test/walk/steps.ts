/** `npm run docs` writes test/walk/README.md from these steps. */
import type { Excerpt } from '../support/sources.ts';

/** The walk follows this request, and a test sends the request. */
export const COMMAND = `curl -i -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \\
  -d '{"name": "looms", "description": "On the Analytical Engine"}' http://127.0.0.1:8080/api/v1/projects`;

/** The response: the first line, one header field and the body. */
export const RESPONSE = `HTTP/1.1 201 Created
Location: /api/v1/projects/2

{"id":2,"name":"looms","description":"On the Analytical Engine","date_created":"2026-01-31T12:05:00.000Z",\
"owner":{"username":"ada","email":"ada@example.org"}}`;

export const LOG_LINE = '{"time":"2026-01-31T12:05:00.004Z","level":"info","message":"request",' +
  '"request_id":"0b0e7c52-64a5-4bb4-9be0-8a2c0c7f4b64","method":"POST","route":"/api/v1/projects",' +
  '"status":201,"duration_ms":4.127,"bytes":159,"address":"127.0.0.1","user_id":1,"sign_in":"token"}';

/** `says` is a text in Markdown. On the page, the excerpts follow this text. */
export const steps: readonly (readonly [title: string, says: string, ...excerpts: Excerpt[]])[] = [
  ['From the socket to the pipeline', `
The listener sets limits and deadlines for connections. Node.js parses the bytes, and gives each request to
the pipeline. A client can send several requests in one packet. The pipeline answers the requests of one
connection in order, so each request sees the effects of earlier requests. In one iteration of the event loop,
requests can arrive on several connections. Up to [sixteen](../../src/http/pipeline.ts) of these requests
start together (\`startTogether\`).`,
    { from: "server.on('request', pipeline.receive)" },
  ],
  ['The life of a request, on one screen', `
\`identify\` gives the request an id, and finds the address of the client. \`follow\` takes the request
through the steps below. \`makeReply\` turns the outcome into a reply, and adds the header fields that every
response has. Only \`makeReply\` turns refusals into replies. Functions return refusals as values; a thrown
error means an outage or a bug.`,
    { from: 'const arrival = identify(incoming);', to: 'return reply;' },
  ],
  ['Which operation is it?', `
\`follow\` first refuses requests with ambiguous framing, because a proxy and the service might disagree about
where such a request ends. Next, \`follow\` parses the target and asks the router for the operation. The
router compares the target with the paths of all operations, of which at most one matches.`,
    { from: 'const match = findRoutes(target.segments);', to: 'const operation =' },
  ],
  ['One value defines an operation', `
The operation that the router has found contains everything that the service knows about creating a project:
the path, who may call, the body, the replies and the refusals. The router, the access check, the validator,
the API document and the tests share one definition of each operation. TypeScript derives the type of the body
from its schema.`,
    { from: 'const optionalMembers =', to: 'const newProject =' },
    { from: '  createProject: operation({', to: 'refuses: [' },
  ],
  ['Who is calling?', `
The service first receives the body, up to the limit of this operation, and then checks the caller. If the
service checked the caller first, a caller who is disabled during the upload would be refused only in step 9.
\`authenticate\` checks the password or token in the field \`Authorization\`.`,
    { from: '// Rights are checked after the body has arrived', to: 'receiveBody(' },
    { from: 'const outcome = await authenticate(incoming.headers', to: '    }' },
  ],
  ['A token is looked up by its digest', `
A token with a wrong checksum causes no query of the database. The database holds only the SHA-256 of a token,
so nobody can sign in with a stolen database. One statement finds a valid token and its owner. If this
statement finds no token, the service reads no record, so a refused caller learns nothing about existing
records.`,
    { from: 'export function parseToken(token: string)', to: '}' },
    { from: 'const FIND_LIVE', to: 'AND disabled = 0`' },
  ],
  ['From bytes to a valid value', `
After the sign-in, the service checks the body, which must be JSON, be declared as JSON, and match the schema.
One response reports all mistakes in the body.`,
    { from: 'const complaints = validate(value);\n    if', to: '    }' },
  ],
  ['The handler', `
The handler gets values of the types that the operation declares. The handler decides who owns the project,
and calls the store. The handler has no SQL and no status codes. If a handler returns a refusal that the
operation does not list, the code does not compile.`,
    { from: 'const { name, description = ', to: 'return resultOf(' },
  ],
  ['The statement decides', `
One atomic batch of statements creates a project. The first statement checks five conditions (guards) in
order: the sign-in is still valid; the caller may see the owner; the caller may create projects for the
owner; the owner is below the limit of projects; and the name is free. If a guard fails, the statement inserts
rows into the table \`refusal\`: three rows if the third guard fails. If \`refusal\` is empty, the next two
statements insert the project and the audit event. If \`refusal\` has rows, nothing is inserted, and the
number of rows says which guard failed. The last statement empties the table \`refusal\`. If no guard failed,
the driver reads the project back as JSON text.`,
    { from: 'insert({ name, description, owner }: NewProject', to: '    },' },
    { from: 'export async function changeIf<', to: '}' },
  ],
  ['To the disk', `
Batches that arrive in the same iteration of the event loop share one transaction, and so wait for the disk
only once (group commit). If a batch fails, the other batches of the transaction run again. The promise of a
write resolves only after \`COMMIT\`. With [\`synchronous = full\`](../../src/database/sqlite-files.ts),
\`COMMIT\` returns when the write-ahead log is on the disk.`,
    { from: 'function commit(group: WaitingBatch', to: '  }' },
  ],
  ['And back', `
The handler returns the JSON and the id of the project. The operation declares that the reply is \`created\`,
so the status is 201, and \`Location\` ends with the id. The app adds the common header fields, and logs the
request. \`send\` writes a short reply to the socket in one piece.`,
    { from: 'const reply = await answer(incoming, startedAtMs)', to: 'send(response, reply)' },
  ],
];
