/**
 * The real application over a real socket, on an empty database, with a clock that tests move and passwords that are
 * cheap to hash. Each test starts its own; it ends with the test.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createFailureCount, type FailureCount } from '../../src/auth/failure-count.ts';
import type { ScryptParameters } from '../../src/auth/password.ts';
import { createAdministrator } from '../../src/programs/administrators.ts';
import type { Config } from '../../src/config.ts';
import type { Database } from '../../src/database/database.ts';
import { createSchema } from '../../src/database/create-schema.ts';
import { generateFiles } from '../../src/generated-files.ts';
import { API_DESCRIPTION_KEY } from '../../src/handlers/static.ts';
import { loadStaticFiles, type StaticFiles } from '../../src/http/static-files.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { LifeCycle } from '../../src/model/life-cycle.ts';
import { createPasswords, createService } from '../../src/service.ts';
import { schema } from '../../src/stores/schema.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { defaultConfig } from './config.ts';
import { openTestDatabase } from './database.ts';
import { readApiDocument, type ApiDocument } from './api-document.ts';
import { call, toMessage, type Answer, type CallOptions } from './http-client.ts';
import { recordExchange } from './recording.ts';

/** A cost that takes microseconds; the real one takes 150 ms by design. */
const CHEAP_SCRYPT = { logN: 1, r: 1, p: 1 };

const STARTED_AT = '2026-01-01T00:00:00.000Z';
const staticFolder = fileURLToPath(new URL('../../static/', import.meta.url));

/** By what they are made from, since coding them takes longer than most tests. */
const staticFiles = new Map<string, { readonly files: Promise<StaticFiles>; readonly document: ApiDocument }>();

export interface TestService {
  readonly port: number;
  readonly database: Database;
  /** Failed sign-ins that are not written down yet. */
  readonly failures: FailureCount;
  /** The clock of the service. */
  readonly clock: { nowMs: number };
  readonly lifeCycle: LifeCycle;
  /** All lines of its log so far, as text. */
  readonly logLines: string[];
  /** Fails when the description of the API does not list what is answered. @param line - Such as `GET /api/v1/users?page=2`. */
  call(line: string, options?: CallOptions): Promise<Answer>;
  /** Registers a user with the password `<username>-password`. @returns Credentials to call with. */
  register(username: string): Promise<string>;
  /** Creates an administrator in the same way. */
  registerAdministrator(username: string): Promise<string>;
  /** Registers a user. @returns A fresh token of theirs. */
  registerWithToken(username: string): Promise<string>;
  /** Issues a token. */
  issueToken(credentials: string, query?: string): Promise<string>;
}

/**
 * @param overrides - Settings that differ from the defaults.
 * @param shared - The database of another service; a new one unless it is given.
 * @param scrypt - How dear a password hash is; cheap unless it is given.
 */
export async function startService(
  context: TestContext,
  overrides: Partial<Config> = {},
  shared?: Database,
  scrypt: ScryptParameters | undefined = CHEAP_SCRYPT,
): Promise<TestService> {
  const clock = { nowMs: Date.parse(STARTED_AT) };
  const logLines: string[] = [];
  const config = { ...defaultConfig(), ...overrides };
  const database = shared ?? (await openTestDatabase(context));
  const failures = createFailureCount();
  await createSchema(database, schema, STARTED_AT);
  const passwords = createPasswords(config, scrypt);
  const now = () => clock.nowMs;
  const lifeCycle: LifeCycle = { isEnding: false };
  const { files, document } = loadFilesOnce(config);
  const server = createService({
    config,
    database,
    staticFiles: await files,
    passwords,
    failures,
    log: createLog('debug', { write: (line) => logLines.push(line), now: () => toTimestamp(now()) }),
    clock: now,
    lifeCycle,
    tls: undefined,
    gatherMetrics: (collectOwn) => async () => collectOwn(),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;

  const service: TestService = {
    port,
    database,
    failures,
    clock,
    lifeCycle,
    logLines,
    async call(line, options) {
      const answer = await call(port, line, options);
      const { method, target } = toMessage(line);
      recordExchange(document.text, line, options, answer);
      const faults = document.findFaults(method, target, answer);
      assert.deepEqual(faults, [], `${line} answered what the description of the API does not list`);
      return answer;
    },
    async register(username) {
      const body = toAccount(username);
      const { status, text } = await service.call('POST /api/v1/users', { json: body });
      if (status !== 201) {
        throw new Error(`Cannot register "${username}": ${status} ${text}`);
      }
      return basic(username, body.password);
    },
    async registerAdministrator(username) {
      const account = toAccount(username);
      const users = createUserStore(database);
      await createAdministrator(account, { users, passwords, rule: config, clock: now });
      return basic(username, account.password);
    },
    async registerWithToken(username) {
      return service.issueToken(await service.register(username));
    },
    async issueToken(credentials, query = '') {
      const { status, json } = await service.call(`POST /api/v1/token${query}`, { as: credentials });
      if (status !== 201) {
        throw new Error(`Cannot issue a token: ${status}`);
      }
      return `Bearer ${json['token']}`;
    },
  };
  return service;
}

function loadFilesOnce(config: Config) {
  const generated = generateFiles(config, '1.0.0');
  const key = JSON.stringify([...generated]);
  const loaded = staticFiles.get(key) ?? {
    files: loadStaticFiles(staticFolder, generated),
    document: readApiDocument(generated.get(API_DESCRIPTION_KEY) ?? ''),
  };
  staticFiles.set(key, loaded);
  return loaded;
}

function toAccount(username: string) {
  const email = /^\w+$/.test(username) ? `${username}@example.org` : 'someone@example.org';
  return { username, password: `${username}-password`, email };
}

/** HTTP Basic credentials (RFC 7617). */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
