/**
 * Reads a list of new users: lines of `username,email` (RFC 4180), as spreadsheets write them. A byte order
 * mark, either line end, quotes, blank lines and a first line with the words `username,email` are accepted.
 * Left out are quoted line breaks: neither of the two values can have one.
 */
import { isUtf8 } from 'node:buffer';
import { compileSchema } from '../../jsonschema/compile.ts';
import { object } from '../../jsonschema/typed.ts';
import { findUsernameFault, toNameKey } from '../../model/name.ts';
import { email, newUsername } from '../../resources/schemas.ts';

export interface Person {
  readonly username: string;
  readonly email: string;
}

/** A person, and the number of the line that names the person. */
export interface ListedPerson extends Person {
  readonly line: number;
}

interface ClassList {
  /** Each person once. */
  readonly people: readonly ListedPerson[];
  /** Sentences about lines that are wrong. */
  readonly faults: readonly string[];
  /** Sentences about lines that name a person again, in the same words. */
  readonly repetitions: readonly string[];
}

const BYTE_ORDER_MARK = '\ufeff';

/** One value: quoted, with a doubled quote for a quote, or plain. White space around values is ignored. */
const VALUE = /[ \t]*(?:"((?:[^"]|"")*)"|([^",]*))[ \t]*(,|$)/y;

const findFaults = compileSchema(object({ username: newUsername, email }).json);

export function parseClassList(bytes: Buffer): ClassList {
  if (!isUtf8(bytes)) {
    return { people: [], faults: ['The file is not valid UTF-8: save it as "CSV UTF-8"'], repetitions: [] };
  }
  const people = new Map<string, ListedPerson>();
  const faults: string[] = [];
  const repetitions: string[] = [];
  const text = bytes.toString('utf8').replace(BYTE_ORDER_MARK, '').normalize('NFC');
  for (const [index, content] of text.split(/\r\n|\n|\r/).entries()) {
    const line = index + 1;
    const values = splitLine(content);
    const [username = '', address = ''] = values ?? [];
    const key = toNameKey(username);
    const first = people.get(key);
    if (content.trim() === '' || (line === 1 && isHeading(values))) {
      continue;
    }
    if (values?.length !== 2) {
      faults.push(`Line ${line}: expected username,email`);
    } else if (first?.email === address) {
      repetitions.push(`Line ${line}: "${username}" is in line ${first.line} already`);
    } else if (first !== undefined) {
      faults.push(`Line ${line}: "${username}" has another address in line ${first.line}`);
    } else {
      const fault = findPersonFault({ username, email: address });
      faults.push(...(fault === undefined ? [] : [`Line ${line}: ${fault}`]));
      people.set(key, { username, email: address, line });
    }
  }
  return { people: [...people.values()], faults, repetitions };
}

/**
 * Checks a person by the same rules as a registration over HTTP. @returns A clause that names the mistakes.
 */
export function findPersonFault({ username, email: address }: Person): string | undefined {
  const mixed = findUsernameFault(username);
  const complaints = findFaults({ username, email: address });
  const faults = [
    ...complaints.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`),
    ...(mixed === undefined ? [] : [`username ${mixed}`]),
  ];
  return faults.length === 0 ? undefined : faults.join('; ');
}

function isHeading(values: readonly string[] | undefined): boolean {
  return values?.join(',').toLowerCase() === 'username,email';
}

/** @returns `undefined` for a quote that is not closed, or text behind one. */
function splitLine(line: string): readonly string[] | undefined {
  const values: string[] = [];
  VALUE.lastIndex = 0;
  for (;;) {
    const [, quoted, plain = '', separator] = VALUE.exec(line) ?? [];
    if (separator === undefined) {
      return undefined;
    }
    values.push(quoted?.replaceAll('""', '"') ?? plain.trim());
    if (separator === '') {
      return values;
    }
  }
}
