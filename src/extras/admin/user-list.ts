/**
 * Reads new users from a CSV file (RFC 4180) with two columns, username and email. A byte order mark, any
 * kind of line end, quotes, blank lines, and the heading `username,email` are accepted. Line breaks in quotes
 * are refused, because no username and no email address has a line break.
 */
import { isUtf8 } from 'node:buffer';
import { toNameKey } from '../../model/name.ts';
import { compileAccountCheck, newEmail, newUsername } from '../../resources/rules.ts';

export const invitedRules = { username: newUsername, email: newEmail };

const check = compileAccountCheck(invitedRules);

export interface ListedUser {
  readonly username: string;
  readonly email: string;
  /** The number of the line in the file; absent if the user was named on the command line. */
  readonly line?: number;
}

export interface UserList {
  /** Without repetitions. */
  readonly users: readonly ListedUser[];
  readonly faults: readonly string[];
  /** Warnings about lines that repeat the username and the email address of an earlier line. */
  readonly repetitions: readonly string[];
}

/** Matches a value with or without quotes around it. Inside the quotes, two quotes mean one quote. */
const VALUE = '(?:[ \\t]*"((?:[^"]|"")*)"[ \\t]*|([^",]*))';
const LINE = new RegExp(`^${VALUE},${VALUE}$`);

export function parseUserList(bytes: Buffer): UserList {
  if (!isUtf8(bytes)) {
    return { users: [], faults: ['The file is not in UTF-8: save the file as "CSV UTF-8"'], repetitions: [] };
  }
  const users = new Map<string, ListedUser>();
  const faults: string[] = [];
  const repetitions: string[] = [];
  const lines = bytes.toString('utf8').replace('\ufeff', '').split(/\r\n|\n|\r/);
  for (const [index, content] of lines.entries()) {
    const line = index + 1;
    const values = LINE.exec(content);
    const [username, email] = [toValue(values?.[1], values?.[2]), toValue(values?.[3], values?.[4])];
    const isHeading = line === 1 && `${username},${email}`.toLowerCase() === 'username,email';
    if (content.trim() === '' || isHeading) {
      continue;
    }
    if (values === null) {
      faults.push(`Line ${line}: expected username,email`);
      continue;
    }
    const { normal, faults: wrong } = check({ username, email });
    const key = toNameKey(normal.username);
    const first = users.get(key);
    if (wrong.length > 0) {
      faults.push(`Line ${line}: ${wrong.join('; ')}`);
    } else if (first === undefined) {
      users.set(key, { ...normal, line });
    } else if (first.email === normal.email) {
      repetitions.push(`Line ${line}: "${username}" is in line ${first.line} already`);
    } else {
      faults.push(`Line ${line}: "${username}" has another email address in line ${first.line}`);
    }
  }
  const isEmpty = users.size + faults.length === 0;
  return { users: [...users.values()], faults: isEmpty ? ['The file lists no users'] : faults, repetitions };
}

function toValue(quoted: string | undefined, plain = ''): string {
  return quoted?.replaceAll('""', '"') ?? plain.trim();
}
