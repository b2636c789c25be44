/** A command of `admin.js`. */
import type { Config } from '../config.ts';
import type { Clock } from '../model/clock.ts';
import type { CommandLine, Given } from './command-line.ts';

export interface CommandContext {
  readonly config: Config;
  readonly clock: Clock;
}

export interface Command extends CommandLine {
  /** @returns What is printed. */
  readonly run: (given: Given, context: CommandContext) => Promise<string>;
}
