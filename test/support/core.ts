/** Starts the core of the service on a real port, with fast password hashes. Tests can set the clock. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createAdministrator } from '../../src/administrators.ts';
import { createCore, createOperations, type CoreParts } from '../../src/core.ts';
import type { Database } from '../../src/database/database.ts';
import { loadStaticFiles } from '../../src/http/static-files.ts';
import type { HousekeepingParts } from '../../src/programs/housekeeping.ts';
import { createSchema } from '../../src/stores/schema.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { defaultConfig } from './config.ts';
import { openTestDatabase } from './database.ts';
import type { Overrides } from './each.ts';
import { basic, call, type Answer, type CallOptions } from './http-client.ts';
import { listen } from './listen.ts';
import { PATIENT } from './patient.ts';

/** With these parameters, scrypt takes microseconds. With the parameters of the service, it takes 150 ms. */
const CHEAP_SCRYPT = { logN: 1, r: 1, p: 1 };

export const staticFolder = fileURLToPath(new URL('../../static/', import.meta.url));

/** A status such as 403, or a status with the anchor of a problem, such as `403 forbidden`. */
export type Expected = number | `${number} ${string}`;

export type TestService = Awaited<ReturnType<typeof startCore>>;

type Extras = Pick<CoreParts, 'operations' | 'observer' | 'onSignInFailure' | 'staticFiles'>
  & Pick<HousekeepingParts, 'recordFailures' | 'removeOldEvents'>;

export async function startCore(
  context: TestContext,
  { overrides, shared, addExtras, onAnswer }: {
    readonly overrides?: Overrides; readonly shared?: Database | undefined;
    readonly addExtras?: (core: Pick<CoreParts, 'config' | 'database' | 'log'>) => Promise<Extras>;
    readonly onAnswer?: (line: string, answer: Answer) => void;
  } = {},
) {
  const clock = { nowMs: Date.parse('2026-01-01T00:00:00.000Z') };
  const now = () => clock.nowMs;
  const logLines: string[] = [];
  const config = { ...defaultConfig(), ...overrides };
  const api = `${config.basePath ?? ''}/api/v1`;
  const database = shared ?? (await openTestDatabase(context));
  await createSchema(database);
  const log = createLog('debug', (line) => logLines.push(line), now);
  const extras: Extras = await addExtras?.({ config, database, log })
    ?? { operations: createOperations(config), staticFiles: loadStaticFiles(staticFolder) };
  const { server, services } = createCore({
    ...extras, config, database, log, clock: now, limits: { ...PATIENT, scrypt: CHEAP_SCRYPT, ...overrides },
  });
  const port = await listen(context, server);

  async function callService(line: string, options?: CallOptions): Promise<Answer> {
    const answer = await call(port, line, options);
    onAnswer?.(line, answer);
    return answer;
  }

  /** Asserts the status, and also the problem if `expected` names a problem. */
  async function expect(expected: Expected, line: string, options?: CallOptions): Promise<Answer> {
    const answer = await callService(line, options);
    const [status, problem] = String(expected).split(' ');
    const text = `${line} answered ${answer.status}: ${answer.text.slice(0, 300)}`;
    assert.equal(String(answer.status), status, text);
    assert.ok(problem === undefined || answer.json['type'].endsWith(`/problems.html#${problem}`), text);
    return answer;
  }

  async function issue(line: string, as: string, json?: object): Promise<Record<string, string>> {
    return (await expect(201, line, { as, json })).json;
  }

  const service = {
    port, database, queues: services.queues, clock, services, logLines, call: callService, expect,
    housekeeping: { ...services, ...extras, database, log } satisfies HousekeepingParts,
    /** The password is `<username>-password`. @returns The credentials of the user. */
    async register(username: string): Promise<string> {
      const json = toAccount(username);
      await expect(201, `POST ${api}/users`, { json });
      return basic(username, json.password);
    },
    async registerAdministrator(username: string): Promise<string> {
      const account = toAccount(username);
      await createAdministrator(account, { ...services, config });
      return basic(username, account.password);
    },
    async registerWithToken(username: string): Promise<string> {
      return service.issueToken(await service.register(username));
    },
    async issueToken(as: string, query = ''): Promise<string> {
      return `Bearer ${(await issue(`POST ${api}/token${query}`, as))['token']}`;
    },
    async issueScoped(as: string, scope: string): Promise<string> {
      return `Bearer ${(await issue(`POST ${api}/tokens`, as, { scope }))['token']}`;
    },
    /** @returns Credentials with the secret of the password link. */
    async makeLink(as: string, username: string): Promise<string> {
      const { link } = await issue(`POST ${api}/users/${username}/password_link`, as);
      return `Bearer ${link?.split('/').at(-1)}`;
    },
    async signIn(...credentials: readonly (string | undefined)[]): Promise<number[]> {
      const statuses: number[] = [];
      for (const as of credentials) {
        statuses.push((await callService(`GET ${api}/user`, { as })).status);
      }
      return statuses;
    },
    /** Reads a list, such as `users?sort=id`. @returns The usernames, or the names of the projects. */
    async namesIn(line: string, as: string): Promise<string[]> {
      const { json } = await expect(200, `GET ${api}/${line}`, { as });
      const items: Record<string, string>[] = json['users'] ?? json['projects'];
      return items.map(({ username, name }) => String(username ?? name));
    },
    async readTrail(as: string, query = ''): Promise<readonly any[]> {
      return (await expect(200, `GET ${api}/audit_events${query}`, { as })).json['audit_events'];
    },
    async createProject(as: string, name: string, description?: string): Promise<void> {
      await issue(`POST ${api}/projects`, as, { name, description });
    },
  };
  return service;
}

function toAccount(username: string) {
  const email = /^\w+$/.test(username) ? `${username}@example.org` : 'someone@example.org';
  return { username, password: `${username}-password`, email };
}
