/**
 * A log line for people at a terminal: `time LEVEL message name=value …`. A value that is not one harmless word is written
 * as in JSON, with the same escapes, so that it stays within its quotes and its line.
 */
import { escapeUnsafe, type LogFormat } from './log.ts';

const WORD = /^[\w.:/{}@+-]+$/;

const DIM = 2;
/** SGR parameters (ECMA-48 §8.3.117). */
const LEVEL_COLOURS = { debug: DIM, info: 32, warn: 33, error: 31 } as const;

export function createPrettyFormat(hasColours: boolean): LogFormat {
  function paint(colour: number, text: string): string {
    return hasColours ? `\x1b[${colour}m${text}\x1b[0m` : text;
  }

  return ({ time, level, message, ...fields }) => {
    const values = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${paint(DIM, `${name}=`)}${toText(value)}`]));
    return `${[paint(DIM, time), paint(LEVEL_COLOURS[level], level.toUpperCase().padEnd(5)), toPlain(message), ...values].join(' ')}\n`;
  };
}

function toText(value: string | number | boolean): string {
  const text = String(value);
  return WORD.test(text) ? text : toQuoted(text);
}

/** Messages are sentences of ours, or warnings of Node.js. */
function toPlain(message: string): string {
  return toQuoted(message).slice(1, -1);
}

function toQuoted(text: string): string {
  return escapeUnsafe(JSON.stringify(text));
}
