import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { test } from 'node:test';
import { createPasswordHasher, SCRYPT_PARAMETERS, type ScryptParameters } from '../../src/auth/password.ts';
import type { PasswordHash } from '../../src/model/user.ts';
import { createFairQueue } from '../../src/scheduling/fair-queue.ts';
import { each } from '../support/each.ts';

const PROGRAM = { address: '192.0.2.1', groups: ['program'], isWanted: () => true };
const CHEAP: ScryptParameters = { logN: 1, r: 1, p: 1 };

const queue = createFairQueue({ durationMsGuessed: 150, runningMax: 1, waitMsMax: 0 });
const passwords = createPasswordHasher(queue, CHEAP);

// A test vector has 64 bytes (RFC 7914 §12). A hash of the service has 32 bytes, so the test uses the first
// half of each vector. The test omits the vector with an empty salt, and the vector that needs a gigabyte of
// memory.
each('The vector of RFC 7914 for "{0}" and "{1}" verifies as a stored password', [
  [
    'password', 'NaCl', { logN: 10, r: 8, p: 16 },
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162',
  ],
  [
    'pleaseletmein', 'SodiumChloride', { logN: 14, r: 8, p: 1 },
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2',
  ],
], async ([password, salt, parameters, hash]) => {
  const stored = toStored(parameters, Buffer.from(salt), Buffer.from(hash, 'hex'));
  assert.equal(await isRight(password, stored), true);
  assert.equal(await isRight(`${password} `, stored), false);
});

test('A new hash has the cost ln=14, r=8, p=5, as documented', () => {
  assert.deepEqual(SCRYPT_PARAMETERS, { logN: 14, r: 8, p: 5 });
  assert.match(createPasswordHasher(queue).dummyHash, /^\$scrypt\$ln=14,r=8,p=5\$/);
});

test('A stored password is a PHC string with 16 bytes of new salt and a hash of 32 bytes', async () => {
  const stored = await hash('secret');
  assert.match(stored, /^\$scrypt\$ln=1,r=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(stored, await hash('secret'));
});

// The hashes match the password, so only the limits on the parameters can cause a refusal.
each('A hash with ln={0}, r={1}, p={2} is within bounds: {3}', [
  [1, 1, 1, true], [15, 1, 1, true], [14, 8, 16, true], [18, 2, 1, true],
  [14, 8, 17, false], [14, 16, 9, false], [18, 9, 1, false],
], async ([logN, r, p, expected]) => {
  const salt = Buffer.from('NaCl');
  const hashed = scryptSync('secret', salt, 32, { N: 2 ** logN, r, p, maxmem: 2 ** 30 });
  assert.equal(await isRight('secret', toStored({ logN, r, p }, salt, hashed)), expected);
});

each('A stored password that is {0} matches nothing, and is no error', [
  ['nothing', /.*/, ''],
  ['the password itself', /.*/, 'secret'],
  ['a string cut off in the hash', /.$/, ''],
  ['a string without a hash', /[^$]+$/, ''],
  ['a string without a salt', /\$[^$]+(\$[^$]+)$/, '$$$1'],
  ['a longer hash', /$/, 'AA'],
  ['a padded hash', /$/, '='],
  ['a line end', /$/, '\n'],
  ['text in front', /^/, 'x'],
  ['another algorithm', 'scrypt', 'argon2id'],
  ['a bcrypt hash', /.*/, '$$2b$$12$$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'],
  ['a cost of 2^0', 'ln=1', 'ln=0'],
  ['a cost of 2^100', 'ln=1', 'ln=100'],
  ['a cost that is not a number', 'ln=1', 'ln=1e1'],
  ['a negative cost', 'ln=1', 'ln=-1'],
  ['a cost in other digits', 'ln=1', 'ln=١'],
  ['no blocks', 'r=1', 'r=0'],
  ['no lanes', 'p=1', 'p=0'],
  ['parameters in another order', 'r=1,p=1', 'p=1,r=1'],
  ['parameters that scrypt rejects', 'ln=1', 'ln=16'],
], async ([, pattern, replacement]) => {
  const stored = (await hash('secret')).replace(pattern, replacement) as PasswordHash;
  assert.deepEqual([await isRight('secret', stored), await isRight('', stored)], [false, false]);
});

test('The dummy hash costs as much as a real one, matches nothing, and differs in each process', async () => {
  const { dummyHash } = passwords;
  assert.match(dummyHash, /^\$scrypt\$ln=1,r=1,p=1\$/);
  assert.deepEqual([await isRight('', dummyHash), await isRight(dummyHash, dummyHash)], [false, false]);
  assert.notEqual(createPasswordHasher(queue, CHEAP).dummyHash, dummyHash);
});

async function hash(password: string): Promise<PasswordHash> {
  const outcome = await passwords.hash(password, PROGRAM);
  assert(outcome.kind === 'done');
  return outcome.result;
}

async function isRight(password: string, stored: PasswordHash): Promise<boolean> {
  const outcome = await passwords.verify(password, stored, PROGRAM);
  assert(outcome.kind === 'done');
  return outcome.result;
}

function toStored({ logN, r, p }: ScryptParameters, salt: Buffer, hashed: Buffer): PasswordHash {
  const [saltText, hashText] = [salt, hashed].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$scrypt$ln=${logN},r=${r},p=${p}$${saltText}$${hashText}` as PasswordHash;
}
