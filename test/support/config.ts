import assert from 'node:assert/strict';
import { readConfig, type Config } from '../../src/config.ts';

export function expectValid(environment: Readonly<Record<string, string | undefined>>): Config {
  const outcome = readConfig(environment);
  assert(outcome.kind === 'valid', JSON.stringify(outcome));
  return outcome.config;
}

export const defaultConfig = () => expectValid({});
