/** Parses a command line by a table of commands. The help is generated from the same table. */
import { parseArgs } from 'node:util';
import { isSlip, type Config } from '../../config.ts';
import type { Database } from '../../database/database.ts';
import type { DatabaseLocation } from '../../database/location.ts';
import type { Clock } from '../../model/clock.ts';

export interface Command {
  readonly name: string;
  readonly operand?: 'USERNAME' | '[USERNAME]' | 'FILE' | '[FILE]';
  /** The options that the command requires or accepts; all other options are refused. */
  readonly options?: Readonly<Record<string, 'required' | 'optional'>>;
  /** The help for the command: a sentence in the imperative. */
  readonly help: string;
  /** @returns The text to print. */
  readonly run: (given: Given, context: CommandContext) => Promise<string>;
}

export interface CommandContext extends DatabaseOpeners {
  readonly config: Config;
  readonly clock: Clock;
}

/** Opens databases like the server does: the program chooses the driver for a location. */
export interface DatabaseOpeners {
  /** Opens an existing database, and creates no file. */
  readonly openExistingDatabase: (location: DatabaseLocation) => Promise<Database>;
}

/** The options of the program, by name: the placeholder of the value, and the help. */
type Options = Readonly<Record<string, { readonly value: string; readonly help: string }>>;

/** The input of a command. */
export interface Given {
  /** The operand; empty if the command line has none. */
  readonly operand: string;
  readonly options: Readonly<Record<string, string | undefined>>;
}

type Parsed =
  | { readonly kind: 'command'; readonly command: Command; readonly given: Given }
  /** A sentence that names the mistake. */
  | { readonly kind: 'mistake'; readonly mistake: string };

export function parseCommandLine(
  programArguments: readonly string[],
  commands: readonly Command[],
  options: Options,
): Parsed {
  const { values, positionals } = parseArgs({
    args: [...programArguments],
    options: Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' }])),
    allowPositionals: true,
    strict: false,
  });
  const [name = '', operand = '', ...rest] = positionals;
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    const meant = commands.find((known) => isSlip(name, known.name) || known.name.startsWith(`${name}-`));
    const advice = meant === undefined ? '' : `: did you mean "${meant.name}"?`;
    const mistake = name === '' ? 'Expected a command' : `Unknown command "${name}"${advice}`;
    return { kind: 'mistake', mistake };
  }
  const mistake = findOptionMistake(command, values, options) ?? findOperandMistake(command, operand, rest);
  if (mistake !== undefined) {
    return { kind: 'mistake', mistake };
  }
  const given = { operand, options: values as Given['options'] }; // every option takes a text
  return { kind: 'command', command, given };
}

function findOperandMistake(
  { name, operand }: Command,
  given: string,
  rest: readonly string[],
): string | undefined {
  if (operand === undefined && given !== '') {
    return `${name} takes no operand, but "${given}" was given`;
  }
  if (operand !== undefined && !operand.startsWith('[') && given === '') {
    return `${name} needs ${operand}`;
  }
  const surplus = rest.join(' ');
  return surplus === '' ? undefined : `${name} takes one ${operand}, but "${surplus}" was given as well`;
}

function findOptionMistake(
  { name, options: accepted = {} }: Command,
  given: Readonly<Record<string, unknown>>,
  options: Options,
): string | undefined {
  for (const [option, value] of Object.entries(given)) {
    if (!(option in accepted)) {
      return `${name} takes no option --${option}`;
    }
    if (typeof value !== 'string' || value === '') {
      return `--${option} needs ${options[option]?.value}`;
    }
  }
  const missing = listRequired(accepted).find((option) => !(option in given));
  return missing === undefined ? undefined : `${name} needs --${missing} ${options[missing]?.value}`;
}

/** A command as it is typed, and its action. */
interface HelpLine {
  readonly usage: string;
  readonly help: string;
}

/** @param prefix - The words before the name of each command. */
export function describeCommands(
  commands: readonly Command[], options: Options = {}, prefix = '',
): readonly HelpLine[] {
  const optionLines = Object.entries(options).map(([name, { value, help }]) => {
    return { usage: `  --${name} ${value}`, help };
  });
  return [
    ...commands.map(({ name, operand = '', options: accepted = {}, help }) => {
      const required = listRequired(accepted).map((option) => `--${option} ${options[option]?.value}`);
      return { usage: [prefix + name, operand, ...required].join(' ').trim(), help };
    }),
    ...optionLines,
  ];
}

/** @returns The lines in two columns. */
export function toColumns(lines: readonly HelpLine[]): string {
  const width = Math.max(...lines.map(({ usage }) => usage.length)) + 2;
  return lines.map(({ usage, help }) => `  ${usage.padEnd(width)}${help}\n`).join('');
}

function listRequired(accepted: NonNullable<Command['options']>): readonly string[] {
  return Object.keys(accepted).filter((option) => accepted[option] === 'required');
}
