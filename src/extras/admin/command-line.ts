/** Parses a command line. The parser and the help both use the table of commands. */
import { parseArgs } from 'node:util';
import { isSlip, type Config } from '../../config.ts';
import type { Database } from '../../database/database.ts';
import type { DatabaseLocation } from '../../database/location.ts';
import type { Clock } from '../../model/clock.ts';
import { reasonOf } from '../../telemetry/error-text.ts';

export interface Command {
  readonly name: string;
  /** Operands and options, such as `USERNAME [--email ADDRESS]`; brackets enclose optional parts. */
  readonly takes?: string;
  readonly help: string;
  /** @returns The text to print. @throws Error with a message that says what failed. */
  readonly run: (given: Given, context: CommandContext) => Promise<string>;
}

export interface CommandContext {
  readonly config: Config;
  readonly clock: Clock;
  /** @throws Error if the database is missing, or if its schema version is not `SCHEMA_VERSION`. */
  withDatabase<Result>(
    location: DatabaseLocation, act: (database: Database) => Promise<Result>,
  ): Promise<Result>;
}

export interface Given {
  /** Empty if the command line has no operand. */
  readonly operand: string;
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** Matches one operand, or one option with its value, in the member `takes` of a command. */
const PART = /(\[)?((?:--([a-z-]+) )?[A-Z]+)\]?/g;

/** @returns The command with its input, or a sentence about the mistake. */
export function parseCommandLine(
  programArguments: readonly string[], commands: readonly Command[],
): { readonly command: Command; readonly given: Given } | string {
  const [name = '', ...args] = programArguments;
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    const meant = commands.find((known) => isSlip(name, known.name) || known.name.startsWith(`${name}-`));
    const advice = meant === undefined ? '' : `: did you mean "${meant.name}"?`;
    return name === '' ? 'Expected a command' : `Unknown command "${name}"${advice}`;
  }
  const { takes = '' } = command;
  const parts = [...takes.matchAll(PART)].map(([, bracket, text, option]) => (
    { isRequired: bracket === undefined, text, option }
  ));
  const names = parts.flatMap(({ option }) => option ?? []);
  const options = Object.fromEntries(names.map((option) => [option, { type: 'string' } as const]));
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: takes !== '' });
    const [operand = '', ...surplus] = positionals;
    const missing = parts.find(({ isRequired, option }) =>
      isRequired && !(option === undefined ? operand : values[option]));
    if (missing !== undefined) {
      return `${name} needs ${missing.text}`;
    }
    return surplus.length > 0
      ? `${name} takes ${takes}, but "${surplus.join(' ')}" was also given`
      : { command, given: { operand, options: values } };
  } catch (error) {
    return reasonOf(error);
  }
}

export function describeCommands(commands: readonly Omit<Command, 'run'>[], prefix = ''): string {
  return commands.map(({ name, takes, help }) => (
    `  ${prefix}${name}${takes === undefined ? '' : ` ${takes}`}\n      ${help}\n`
  )).join('');
}
