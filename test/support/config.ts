/** The settings of a service with an empty environment. */
import { readConfig, type Config } from '../../src/config.ts';

export function defaultConfig(): Config {
  const outcome = readConfig({});
  if (outcome.kind === 'invalid') {
    throw new Error(outcome.mistakes.join('; '));
  }
  return outcome.config;
}
