/**
 * Each record is computed from its number, so every run creates the same data. The filled database has no
 * audit events.
 *
 * A username consists of a common first name, syllables and an ending, so usernames look like real names.
 * Users with consecutive numbers have very different names. A search for `iramoso` finds exactly twenty
 * users, but any three consecutive letters of `iramoso` occur in many names.
 */
import type { Database, Statement } from '../../src/database/database.ts';
import { parseDatabaseUrl } from '../../src/database/location.ts';
import { openDatabase } from '../../src/programs/database.ts';
import { createSchema } from '../../src/stores/schema.ts';

const toWords = (text: string) => text.trim().split(/\s+/);
const GIVEN_NAMES = toWords(`
  ada aisha amara andrea anna barbara carlos carmen clara daniel elena emma fatima george grace hana helen
  ines jane joan kamal karin kenji laura linda maria marta miguel nadia nina omar paula priya rosa samir
  sara stefan tariq vera victor yara zoe`);
const SYLLABLES = toWords(`
  ba be bo da de di do fa ga ge go ha he ho ja jo ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe
  ra re ri ro sa se si so ta te ti to va ve vi za`);
const ENDINGS = toWords('son sen berg mann stein ski ova wala ton field wood ford well ley ard elli ini ado');
const PARTS = [GIVEN_NAMES, SYLLABLES, SYLLABLES, ENDINGS];
/**
 * The index of each user is multiplied by this prime, modulo the number of names. So consecutive users do not
 * get similar names.
 */
const SPREAD = 7_368_787;
const NAMES = PARTS.reduce((product, { length }) => product * length, 1);
const PLANTED = 20;

const AT = '2026-01-01T00:00:00.000Z';
const USERS_AT_ONCE = 500;

/** @param index - An integer from 0 to `userCount - 1`. At most a million users are possible. */
export function toUsername(index: number, userCount: number): string {
  const spacing = Math.floor(userCount / PLANTED);
  if (index % spacing === 7) {
    return `lindara.${SYLLABLES[Math.floor(index / spacing)]}kiramoson`;
  }
  let rest = (index * SPREAD) % NAMES;
  const [given, ...others] = PARTS.map((part) => {
    const word = part[rest % part.length];
    rest = Math.floor(rest / part.length);
    return word;
  });
  return `${given}.${others.join('')}`;
}

/** Every user with an odd index owns one to three projects. */
export async function fill(databaseUrl: string, userCount: number): Promise<void> {
  const location = parseDatabaseUrl(databaseUrl);
  if (location === undefined) {
    throw new Error(`Cannot use the database "${databaseUrl}"`);
  }
  console.error(`Filling the database with ${userCount} users and their projects …`);
  const isFile = location.driver === 'sqlite';
  const database = await openDatabase(isFile ? { ...location, synchronous: 'normal' } : location);
  await createSchema(database);
  for (let first = 0; first < userCount; first += USERS_AT_ONCE) {
    await insert(database, first, userCount);
  }
  await database.close();
}

async function insert(database: Database, first: number, userCount: number): Promise<void> {
  const count = Math.min(USERS_AT_ONCE, userCount - first);
  await database.write(Array.from({ length: count }, (_, offset) => first + offset).flatMap((index) => [
    toUser(index, userCount),
    ...Array.from({ length: index % 2 === 0 ? 0 : 1 + (index % 3) }, (_, at) => toProject(index, at)),
  ]));
}

function toUser(index: number, userCount: number): Statement {
  const username = toUsername(index, userCount);
  return {
    sql: `INSERT INTO users (id, username, username_key, email, password_hash, date_created)
          VALUES (?, ?, ?, ?, '', ?)`,
    parameters: [index + 1, username, username, `${username}@example.org`, AT],
  };
}

function toProject(index: number, at: number): Statement {
  const name = `${SYLLABLES[index % SYLLABLES.length]}-harbor-${index}-${at}`;
  return {
    sql: `INSERT INTO projects (name, name_key, description, owner_id, date_created)
          VALUES (?, ?, 'A small matter, well described', ?, ?)`,
    parameters: [name, name, index + 1, AT],
  };
}
