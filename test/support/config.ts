/** The settings of a service whose environment says nothing. */
import { readConfig, type Config } from '../../src/config.ts';

export function defaultConfig(): Config {
  const outcome = readConfig({});
  if (outcome.kind === 'invalid') {
    throw new Error(outcome.mistakes.join('; '));
  }
  return outcome.config;
}
