/**
 * The core with its extras, assembled like in the server. Every response is checked against the OpenAPI
 * document.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ScryptParameters } from '../../src/auth/password.ts';
import type { Config } from '../../src/config.ts';
import type { Database } from '../../src/database/database.ts';
import { documentFiles } from '../../src/extras/documents/files.ts';
import { createDocument } from '../../src/extras/documents/openapi.ts';
import { loadStaticFiles, type StaticFiles } from '../../src/http/static-files.ts';
import { assemble } from '../../src/programs/extras.ts';
import type { Operations } from '../../src/api/operation.ts';
import { readApiDocument, type ApiDocument } from './api-document.ts';
import type { Limits } from '../../src/core.ts';
import { startCore, staticFolder, type TestService } from './core.ts';
import { toMessage } from './http-client.ts';

export type { TestService } from './core.ts';
export { basic } from './http-client.ts';

interface LoadedFiles {
  readonly files: StaticFiles;
  readonly document: ApiDocument;
}

/** By the API document, which is the same for most settings: compressing takes long. */
const loadedFiles = new Map<string, LoadedFiles>();

/**
 * @param overrides - Settings and limits that differ from the usual ones.
 * @param shared - The database of another service; a new one unless it is given.
 * @param scrypt - The cost of a password hash; cheap by default.
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

type Run = (service: TestService, context: TestContext) => Promise<void>;

/** A test with a service of its own. @param given - Settings and limits that differ from the usual ones. */
export function api(
  title: string, ...given: readonly [Run] | readonly [Partial<Config & Limits>, Run]
): void {
  const [overrides, run] = given.length === 1 ? [{}, given[0]] : given;
  void test(title, async (context) => run(await startService(context, overrides), context));
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
