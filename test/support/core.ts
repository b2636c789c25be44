/**
 * Starts the core over a real socket, on an empty database, with cheap password hashes and a clock that tests
 * set. Each test starts its own core, which stops when the test ends.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createAdministrator } from '../../src/administrators.ts';
import type { FailureReport } from '../../src/auth/failure-report.ts';
import type { ScryptParameters } from '../../src/auth/password.ts';
import type { Config } from '../../src/config.ts';
import { createSchema } from '../../src/database/create-schema.ts';
import type { Database } from '../../src/database/database.ts';
import { loadStaticFiles } from '../../src/http/static-files.ts';
import type { Services } from '../../src/api/services.ts';
import { createCore, createOperations, type Extend, type Limits } from '../../src/core.ts';
import type { Queues } from '../../src/queues.ts';
import { schema } from '../../src/stores/schema.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { defaultConfig } from './config.ts';
import { openTestDatabase } from './database.ts';
import { basic, call, type Answer, type CallOptions } from './http-client.ts';
import { listen } from './listen.ts';
import { PATIENT } from './patient.ts';

/** A cost with which a hash takes microseconds. With the real cost, a hash takes 150 ms by design. */
const CHEAP_SCRYPT = { logN: 1, r: 1, p: 1 };

const STARTED_AT = '2026-01-01T00:00:00.000Z';

/** The folder with the files of the pages. */
export const staticFolder = fileURLToPath(new URL('../../static/', import.meta.url));

export interface TestService {
  readonly port: number;
  readonly database: Database;
  readonly queues: Queues;
  /** The failed sign-ins that are not recorded yet. */
  readonly failures: FailureReport;
  /** The clock of the service. */
  readonly clock: { nowMs: number };
  readonly services: Services;
  /** All lines of the log of the service so far, as text. */
  readonly logLines: string[];
  /** @param line - The method and the target, such as `GET /api/v1/users?page=2`. */
  call(line: string, options?: CallOptions): Promise<Answer>;
  /** Sends a request like `call`, and asserts the status. */
  expect(status: number, line: string, options?: CallOptions): Promise<Answer>;
  /** Registers a user with the password `<username>-password`. @returns The credentials of the user. */
  register(username: string): Promise<string>;
  /** Registers a user like `register`, and makes the user an administrator. */
  registerAdministrator(username: string): Promise<string>;
  /** Registers a user. @returns A new token of the user. */
  registerWithToken(username: string): Promise<string>;
  /** Issues a token. */
  issueToken(credentials: string, query?: string): Promise<string>;
  /** Issues a token with this scope. @returns The token as credentials. */
  issueScoped(credentials: string, scope: string): Promise<string>;
  /** Creates a password link for a user. @returns The secret of the link as credentials. */
  makeLink(credentials: string, username: string): Promise<string>;
  /** Signs in with each of these credentials in turn. @returns The statuses. */
  signIn(...credentials: readonly (string | undefined)[]): Promise<number[]>;
  /** Reads a list, such as `users?sort=id`. @returns The usernames, or the names of the projects. */
  namesIn(line: string, credentials: string): Promise<string[]>;
  /** Creates a project of the caller. */
  createProject(credentials: string, name: string, description?: string): Promise<void>;
}

interface CoreOptions {
  /** Settings and limits that differ from the defaults for tests, which are generous. */
  readonly overrides?: Partial<Config & Limits>;
  /** The database of another service. By default, the service gets a new database. */
  readonly shared?: Database | undefined;
  /** The cost of a password hash, which is cheap by default. */
  readonly scrypt?: ScryptParameters | undefined;
  readonly extend?: Extend;
  /** Called with each request and its response. */
  readonly onAnswer?: (line: string, answer: Answer) => void;
}

/** The parts of a service without any extra. */
const withoutExtras: Extend = async ({ config }) => ({
  operations: createOperations(config),
  observer: undefined,
  staticFiles: loadStaticFiles(staticFolder),
});

export async function startCore(
  context: TestContext,
  { overrides, shared, scrypt = CHEAP_SCRYPT, extend = withoutExtras, onAnswer }: CoreOptions = {},
): Promise<TestService> {
  const clock = { nowMs: Date.parse(STARTED_AT) };
  const now = () => clock.nowMs;
  const logLines: string[] = [];
  const config = { ...defaultConfig(), ...overrides };
  const database = shared ?? (await openTestDatabase(context));
  await createSchema(database, schema);
  const { server, services, queues, failures } = await createCore(config, {
    database,
    log: createLog('debug', (line) => logLines.push(line), now),
    clock: now,
    scrypt,
    limits: { ...PATIENT, ...overrides },
    extend,
  });
  const port = await listen(context, server);

  const service: TestService = {
    port,
    database,
    queues,
    failures,
    clock,
    services,
    logLines,
    async call(line, options) {
      const answer = await call(port, line, options);
      onAnswer?.(line, answer);
      return answer;
    },
    async expect(status, line, options) {
      const answer = await service.call(line, options);
      assert.equal(answer.status, status, toSentence(status, line, answer));
      return answer;
    },
    async register(username) {
      const body = toAccount(username);
      await service.expect(201, 'POST /api/v1/users', { json: body });
      return basic(username, body.password);
    },
    async registerAdministrator(username) {
      const account = toAccount(username);
      await createAdministrator(account, { ...services, config });
      return basic(username, account.password);
    },
    async registerWithToken(username) {
      return service.issueToken(await service.register(username));
    },
    async issueToken(credentials, query = '') {
      const { json } = await service.expect(201, `POST /api/v1/token${query}`, { as: credentials });
      return `Bearer ${json['token']}`;
    },
    async issueScoped(as, scope) {
      const { json } = await service.expect(201, 'POST /api/v1/tokens', { as, json: { scope } });
      return `Bearer ${json['token']}`;
    },
    async makeLink(as, username) {
      const { json } = await service.expect(201, `POST /api/v1/users/${username}/password_link`, { as });
      return `Bearer ${String(json['link']).split('/').at(-1)}`;
    },
    async signIn(...credentials) {
      const statuses: number[] = [];
      for (const as of credentials) {
        statuses.push((await service.call('GET /api/v1/user', { as })).status);
      }
      return statuses;
    },
    async namesIn(line, as) {
      const { json } = await service.expect(200, `GET /api/v1/${line}`, { as });
      const items: Record<string, string>[] = json['users'] ?? json['projects'];
      return items.map(({ username, name }) => String(username ?? name));
    },
    async createProject(as, name, description) {
      await service.expect(201, 'POST /api/v1/projects', { as, json: { name, description } });
    },
  };
  return service;
}

function toSentence(status: number, line: string, answer: Answer): string {
  return `${line} answered ${answer.status}, not ${status}: ${answer.text.slice(0, 300)}`;
}

function toAccount(username: string) {
  const email = /^\w+$/.test(username) ? `${username}@example.org` : 'someone@example.org';
  return { username, password: `${username}-password`, email };
}
