/** The settings of a service with an empty environment. */
import assert from 'node:assert/strict';
import { readConfig, type Config } from '../../src/config.ts';

export function defaultConfig(): Config {
  const outcome = readConfig({});
  assert(outcome.kind === 'valid');
  return outcome.config;
}
