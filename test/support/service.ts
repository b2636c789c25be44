/** Starts the service with `src/extras`, and checks every response against the OpenAPI document. */
import assert from 'node:assert/strict';
import { before, type TestContext } from 'node:test';
import type { Config } from '../../src/config.ts';
import type { Database } from '../../src/database/database.ts';
import { documentFiles } from '../../src/extras/documents/files.ts';
import { createDocument } from '../../src/extras/documents/openapi.ts';
import { loadStaticFiles, type StaticFiles } from '../../src/http/static-files.ts';
import { addOperations } from '../../src/programs/extras.ts';
import type { Operations } from '../../src/api/operation.ts';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { readApiDocument, type ApiDocument } from './api-document.ts';
import { startCore, staticFolder, type Expected, type TestService } from './core.ts';
import { clusterUrl } from './database.ts';
import { starting, type Overrides } from './each.ts';
import { toMessage, type Answer } from './http-client.ts';

export type { TestService } from './core.ts';
export { basic } from './http-client.ts';

export const BEHIND_PROXY = { trustedProxies: parseTrustedProxies('127.0.0.1') };

/** A service with the users ada (id 1) and eve (id 2), and the administrator root (id 3). */
export type World = TestService & Readonly<Record<'ada' | 'eve' | 'root', string>>;

/** For each API document, caches the compressed static files, because compression takes time. */
const loadedFiles = new Map<string, { readonly files: StaticFiles; readonly document: ApiDocument }>();

export async function startService(
  context: TestContext, overrides: Overrides = {}, shared?: Database,
): Promise<TestService> {
  let document: ApiDocument | undefined;
  return startCore(context, {
    overrides, shared,
    async addExtras(core) {
      const added = await addOperations(core);
      const loaded = loadFilesOnce(added.operations, core.config);
      document = loaded.document;
      return { ...added, staticFiles: loaded.files };
    },
    onAnswer(line, answer) {
      assert(document !== undefined);
      const { method, target } = toMessage(line);
      const faults = document.findFaults(method, target, answer);
      assert.deepEqual(faults, [], `${line} answered what the description of the API does not list`);
    },
  });
}

export async function startWorld(
  context: TestContext, overrides?: Overrides, shared?: Database,
): Promise<World> {
  const service = await startService(context, overrides, shared);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  return { ...service, ada, eve, root: await service.registerAdministrator('root') };
}

export const api = starting(startService);
export const people = starting(startWorld);

/**
 * The tests share one service, so a test must not change the data of another test. On a cluster, each test
 * starts a service.
 */
export function shared<Started>(start: (context: TestContext) => Promise<Started>) {
  if (clusterUrl !== undefined) {
    return starting(start); // other tests delete the data in the cluster
  }
  let started: Started;
  before(async (context) => {
    started = await start(context as TestContext);
  });
  return starting(async () => started);
}

/** `segment` replaces `*` in the target. */
type Row = readonly [caller: 'ada' | 'eve' | 'root', segment: string, json: unknown, expected: Expected];

/** @param line - The method and the target, such as `PATCH /api/v1/users/*`. */
export function answers(line: string, rows: readonly Row[], { arrange, check }: {
  readonly arrange?: (world: World) => Promise<unknown>;
  readonly check?: (world: World, answer: Answer, sent: unknown) => Promise<unknown>;
} = {}): void {
  for (const [caller, segment, json, expected] of rows) {
    const sent = json === undefined ? '' : ` with ${JSON.stringify(json).slice(0, 80)}`;
    const target = line.replace('*', segment);
    people(`${target.slice(0, 80)} by ${caller}${sent} is ${expected}`, async (world) => {
      await arrange?.(world);
      const answer = await world.expect(expected, target, { as: world[caller], json });
      await check?.(world, answer, json);
    });
  }
}

type Send = (index: number) => Promise<{ readonly status: number }>;

export async function atOnce(count: number, send: Send): Promise<number[]> {
  const sent = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  return sent.map(({ status }) => status).sort();
}

export async function inTurn(count: number, send: Send): Promise<number[]> {
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

/** Until `release` is called, no password is hashed, because two other tasks already occupy the queue. */
export function occupyHashes({ queues: { passwords } }: Pick<TestService, 'queues'>) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const client = { groups: ['test'], isWanted: () => true };
  void passwords.run(() => promise, client);
  void passwords.run(() => promise, client);
  return { release, measures: passwords.measures };
}

function loadFilesOnce(operations: Operations, config: Config) {
  const text = JSON.stringify(createDocument(operations, config, '1.0.0'));
  const loaded = loadedFiles.get(text) ?? {
    files: loadStaticFiles(staticFolder, documentFiles(operations, config, '1.0.0')),
    document: readApiDocument(text),
  };
  loadedFiles.set(text, loaded);
  return loaded;
}
