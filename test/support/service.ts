/**
 * Starts the core with its extras, assembled like in the server. Every response is checked against the
 * OpenAPI document.
 */
import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import type { ScryptParameters } from '../../src/auth/password.ts';
import type { Config } from '../../src/config.ts';
import type { Database } from '../../src/database/database.ts';
import { documentFiles } from '../../src/extras/documents/files.ts';
import { createDocument } from '../../src/extras/documents/openapi.ts';
import { loadStaticFiles, type StaticFiles } from '../../src/http/static-files.ts';
import { assemble } from '../../src/programs/extras.ts';
import type { Operations } from '../../src/api/operation.ts';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { readApiDocument, type ApiDocument } from './api-document.ts';
import type { Limits } from '../../src/core.ts';
import { startCore, staticFolder, type TestService } from './core.ts';
import { clusterUrl } from './database.ts';
import { toMessage, type Answer } from './http-client.ts';

export type { TestService } from './core.ts';
export { basic } from './http-client.ts';

/** Settings with which the service trusts the fields of a proxy on this machine. */
export const BEHIND_PROXY = { trustedProxies: parseTrustedProxies('127.0.0.1') };

/** Starts a service with the users ada (id 1) and eve (id 2), and the administrator root (id 3). */
export interface World extends TestService {
  readonly ada: string;
  readonly eve: string;
  readonly root: string;
}

interface LoadedFiles {
  readonly files: StaticFiles;
  readonly document: ApiDocument;
}

/**
 * Maps the text of an API document to the static files, loaded and compressed. Services with the same
 * document share these files, because compression takes long.
 */
const loadedFiles = new Map<string, LoadedFiles>();

/**
 * @param overrides - Settings and limits that differ from the defaults for tests.
 * @param shared - The database of another service. By default, the service gets a new database.
 * @param scrypt - The cost of a password hash, which is cheap by default.
 */
export async function startService(
  context: TestContext,
  overrides: Partial<Config & Limits> = {},
  shared?: Database,
  scrypt?: ScryptParameters,
): Promise<TestService> {
  let document: ApiDocument | undefined;
  return startCore(context, {
    overrides,
    shared,
    scrypt,
    async extend(core) {
      const { operations, observer } = await assemble(core);
      const loaded = loadFilesOnce(operations, core.config);
      document = loaded.document;
      return { operations, observer, staticFiles: loaded.files };
    },
    onAnswer(line, answer) {
      assert(document !== undefined);
      const { method, target } = toMessage(line);
      const faults = document.findFaults(method, target, answer);
      assert.deepEqual(faults, [], `${line} answered what the description of the API does not list`);
    },
  });
}

/** The settings and limits that differ from the defaults for tests, if any, and the body of the test. */
type Given<Started> =
  | readonly [(started: Started, context: TestContext) => Promise<void>]
  | readonly [Partial<Config & Limits>, (started: Started, context: TestContext) => Promise<void>];

/** Defines a test with its own service. */
export function api(title: string, ...given: Given<TestService>): void {
  const [overrides, run] = given.length === 1 ? [{}, given[0]] : given;
  void test(title, async (context) => run(await startService(context, overrides), context));
}

export async function startWorld(
  context: TestContext, ...more: readonly [overrides?: Partial<Config & Limits>, shared?: Database]
): Promise<World> {
  const service = await startService(context, ...more);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  return { ...service, ada, eve, root: await service.registerAdministrator('root') };
}

/** Defines a test with its own service and the users ada, eve and root. */
export function people(title: string, ...given: Given<World>): void {
  const [overrides, run] = given.length === 1 ? [{}, given[0]] : given;
  void test(title, async (context) => run(await startWorld(context, overrides), context));
}

/**
 * Creates a service for tests that change nothing. On a cluster, each of these tests has its own service,
 * because the tests between them empty the cluster.
 *
 * @param start - Starts and fills the service, before the first test.
 * @returns A function that defines such a test.
 */
export function shared<Started>(start: (context: TestContext) => Promise<Started>) {
  if (clusterUrl !== undefined) {
    return (title: string, run: (started: Started) => Promise<void>): void => {
      void test(title, async (context) => run(await start(context)));
    };
  }
  let started: Started;
  before(async (context) => {
    started = await start(context as TestContext);
  });
  return (title: string, run: (started: Started) => Promise<void>): void => {
    void test(title, () => run(started));
  };
}

/** A request in a table: the caller, the part of the target that replaces `*`, the body, and the status. */
type Row = readonly [
  caller: 'ada' | 'eve' | 'root', segment: string, json: unknown, status: number, problem?: string,
];

interface Around {
  /** Prepares the world before the request. */
  readonly arrange?: (world: World) => Promise<unknown>;
  /** Checks the world after the request. */
  readonly check?: (world: World, answer: Answer, segment: string) => Promise<unknown>;
}

/**
 * Defines a test for each row of a table.
 *
 * @param line - The method and the target, such as `PATCH /api/v1/users/*`.
 */
export function answers(line: string, rows: readonly Row[], { arrange, check }: Around = {}): void {
  for (const [caller, segment, json, status, problem] of rows) {
    const sent = json === undefined ? '' : ` with ${JSON.stringify(json).slice(0, 80)}`;
    const target = line.replace('*', segment);
    people(`${target} by ${caller}${sent} is ${status}`, async (world) => {
      await arrange?.(world);
      const answer = await world.expect(status, target, { as: world[caller], json });
      if (problem !== undefined) {
        assert.equal(answer.json['type'], `/static/problems.html#${problem}`);
      }
      await check?.(world, answer, segment);
    });
  }
}

/** Sends requests at the same time. @returns The statuses in ascending order. */
export async function atOnce(
  count: number, send: (index: number) => Promise<{ readonly status: number }>,
): Promise<number[]> {
  const sent = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  return sent.map(({ status }) => status).sort();
}

/** Sends requests one after another. @returns The statuses. */
export async function inTurn(
  count: number, send: (index: number) => Promise<{ readonly status: number }>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) {
    statuses.push((await send(index)).status);
  }
  return statuses;
}

/** `times(3, 401)` is `[401, 401, 401]`. */
export function times(count: number, status: number): readonly number[] {
  return Array<number>(count).fill(status);
}

/** Occupies both places of the queue for password hashes until `release` is called. */
export function occupyHashes({ queues: { passwords } }: Pick<TestService, 'queues'>) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const client = { groups: ['test'], isWanted: () => true };
  void passwords.run(() => promise, client);
  void passwords.run(() => promise, client);
  return { release, measures: passwords.measures };
}

function loadFilesOnce(operations: Operations, config: Config): LoadedFiles {
  const text = JSON.stringify(createDocument(operations, config, '1.0.0'));
  const loaded = loadedFiles.get(text) ?? {
    files: loadStaticFiles(staticFolder, documentFiles(operations, config, '1.0.0')),
    document: readApiDocument(text),
  };
  loadedFiles.set(text, loaded);
  return loaded;
}
