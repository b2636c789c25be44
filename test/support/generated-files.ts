import { documentFiles } from '../../src/extras/documents/files.ts';
import { defaultConfig } from './config.ts';
import { operations } from './operations.ts';
import { manifest, read } from './project.ts';

const { keys, generate } = documentFiles(operations, defaultConfig(), manifest.version);

export const generatedFiles: ReadonlyMap<string, string> = new Map(await Promise.all(
  keys.map(async (key) => [key, await generate(key, (part) => read(`static/${part}`))] as const),
));
