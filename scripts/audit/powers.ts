/**
 * A power is something that most code must not do, such as writing files. Each power has a list of the files
 * that may use the power. The audit also reports a listed file that does not use the power.
 */
import type { File } from './files.ts';
import { importsOf } from './imports.ts';

interface Power {
  readonly claim: string;
  /** The files that may use the power, as paths below `dist/`. */
  readonly files: readonly string[];
  /** A file has the power if it imports anything from one of these modules. */
  readonly modules?: readonly string[];
  /** A file has the power if it imports, from one of these modules, a name that matches `names`. */
  readonly from?: readonly string[];
  readonly names?: RegExp;
  /** A file has the power if its source text matches this pattern. */
  readonly words?: RegExp;
}

/** Matches the names of the functions in `node:fs` that can write files. */
const WRITES = new RegExp(
  '^(append|[fl]?chmod|[fl]?chown|copy|cp|createWrite|f?truncate|[fl]?utimes|link|mkd|open|promises|' +
    'rename|rm|symlink|unlink|write)',
);

/** Matches `process.env`, `process['env']`, and code that renames or destructures `process`. */
const ENVIRONMENT = new RegExp(
  [
    /\bprocess\s*(?:\.\s*env\b|\[)/,
    /\{[^}]*(?:\benv\b|\.\.\.)[^}]*\}\s*=\s*process\b/,
    /[\w$]\s*=\s*process\s*[;,)]|\bglobal(?:This)?\b/,
  ].map(({ source }) => source).join('|'),
);

export const POWERS: readonly Power[] = [
  {
    claim: 'No text is run as code, and no native code is loaded',
    modules: [
      'node:vm', 'node:repl', 'node:inspector', 'node:inspector/promises', 'node:wasi', 'node:module',
      'node:ffi',
    ],
    words: /\beval\b|\bFunction\s*\(|\bnew\s+Function\b|\.constructor\b|\bWebAssembly\b/,
    files: [],
  },
  {
    claim: 'No program is started',
    modules: ['node:child_process', 'node:cluster', 'node:test'],
    files: [],
  },
  {
    claim: 'A thread is started only to upgrade a database file',
    modules: ['node:worker_threads'],
    files: ['extras/data/upgrade.js'],
  },
  {
    claim: 'Connections lead only to a database cluster',
    modules: ['node:dgram', 'node:dns', 'node:dns/promises', 'node:http2', 'node:quic'],
    from: ['node:http', 'node:https', 'node:net', 'node:tls'],
    names: new RegExp(
      '^(\\*|request|get|globalAgent|Agent|ClientRequest|connect|createConnection|Socket|Stream|' +
        'TLSSocket|WebSocket|EventSource)$',
    ),
    words: /\bfetch\s*\(|\bWebSocket\b|\bEventSource\b|\bXMLHttpRequest\b/,
    files: ['extras/cluster/connection.js'],
  },
  {
    claim: 'Only one source file reads environment variables',
    modules: ['node:process'],
    words: ENVIRONMENT,
    files: ['config.js'],
  },
  {
    claim: 'Files are written only by the database, the data commands, and the command "admin add --sheets"',
    modules: ['node:sqlite'],
    from: ['node:fs', 'node:fs/promises'],
    names: new RegExp(`^\\*$|${WRITES.source}`),
    files: [
      'database/sqlite-files.js', 'database/sqlite.js', 'extras/admin/sheets.js',
      'extras/data/backup.js', 'extras/data/check.js', 'extras/data/restore.js', 'extras/data/upgrade.js',
    ],
  },
];

export function findPowerFaults(files: readonly File[], power: Power): string[] {
  const having = files.filter((file) => hasPower(file, power)).map(({ name }) => name);
  return [
    ...having.filter((name) => !power.files.includes(name)),
    ...power.files
      .filter((name) => !having.includes(name))
      .map((name) => `${name} is listed, but does not use the power`),
  ];
}

function hasPower(file: File, { modules = [], from = [], names = /^$/, words }: Power): boolean {
  const isImported = importsOf(file).some(({ specifier, names: imported }) =>
    modules.includes(specifier) || (from.includes(specifier) && imported.some((name) => names.test(name))));
  return isImported || words?.test(file.content.toString('utf8')) === true;
}
