/**
 * `admin link`, and `admin add` for one person or a class. New users have no password yet, and get a link to
 * set one. All lines are checked before the first is carried out. After an interruption the same command
 * continues: people with a password are skipped, and all others get a new link.
 */
import { readFileSync } from 'node:fs';
import { toProgramOrigin } from '../../model/audit.ts';
import { toTimestamp } from '../../model/clock.ts';
import { toNameKey } from '../../model/name.ts';
import { NO_PASSWORD, type User } from '../../model/user.ts';
import { Failure } from '../../runtime.ts';
import { reasonOf } from '../../telemetry/error-text.ts';
import { makePasswordLink } from '../password-links/password-links.ts';
import { findUser, type AccountCommand, type CommandParts } from './account-commands.ts';
import { findPersonFault, parseClassList, type ListedPerson, type Person } from './class-list.ts';

export const printLink: AccountCommand = async ({ operand }, parts) =>
  `${await makeLink(await findUser(operand, parts), parts)}\n`;

export const addPeople: AccountCommand = async ({ operand: username, options: { email, file } }, parts) => {
  if (file === undefined ? username === '' || email === undefined : username !== '' || email !== undefined) {
    throw new Failure('add needs USERNAME with --email ADDRESS, or --file FILE');
  }
  if (file === undefined) {
    return addOne({ username, email: email ?? '' }, parts);
  }
  const { people, faults, repetitions } = parseClassList(readFile(file));
  const { missing, taken } = await findMissing(people, parts);
  const wrong = [...faults, ...taken];
  if (wrong.length > 0) {
    throw new Failure([...wrong, ...repetitions, 'Nobody was added: correct these lines'].join('\n'));
  }
  for (const person of missing) {
    process.stdout.write(`${person.username},${await invite(person, parts)}\n`);
  }
  if (repetitions.length > 0) {
    throw new Failure([...repetitions, 'Each person was added once'].join('\n'));
  }
  return '';
};

async function addOne(person: Person, parts: CommandParts): Promise<string> {
  const normal = { username: person.username.normalize('NFC'), email: person.email.normalize('NFC') };
  const fault = findPersonFault(normal);
  if (fault !== undefined) {
    throw new Failure(`Cannot add "${person.username}": ${fault}`);
  }
  const { missing, taken: [isTaken] } = await findMissing([{ ...normal, line: 1 }], parts);
  if (isTaken !== undefined) {
    throw new Failure(`Cannot add "${person.username}": the username is taken, with another address`);
  }
  return missing.length === 0 ? '' : `${normal.username},${await invite(normal, parts)}\n`;
}

/** Finds the people who need a link, and sentences about names that others have. */
async function findMissing(people: readonly ListedPerson[], { users }: CommandParts) {
  const missing: Person[] = [];
  const taken: string[] = [];
  for (const person of people) {
    const account = await users.findWithPassword(toNameKey(person.username));
    if (account !== undefined && account.user.email !== person.email) {
      taken.push(`Line ${person.line}: "${person.username}" is taken, with another address`);
    } else if (account === undefined || account.passwordHash === NO_PASSWORD) {
      missing.push(person);
    }
  }
  return { missing, taken };
}

/** Creates the user, unless an earlier run did, and makes a link. */
async function invite({ username, email }: Person, parts: CommandParts): Promise<string> {
  const { users, clock } = parts;
  await users.insert({
    username, email, passwordHash: NO_PASSWORD, isAdmin: false, dateCreated: toTimestamp(clock()),
  }, toProgramOrigin(clock)); // refused if the user exists
  return makeLink(await findUser(username, parts), parts);
}

async function makeLink(user: User, parts: CommandParts): Promise<string> {
  const made = await makePasswordLink(parts, user, toProgramOrigin(parts.clock));
  if (made.kind === 'refused') {
    throw new Failure(`Cannot make a link for "${user.username}": the user was changed meanwhile; try again`);
  }
  return made.link;
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Failure(`Cannot read "${file}": ${reasonOf(error)}`, { cause: error });
  }
}
