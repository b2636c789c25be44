/**
 * Hashes passwords with scrypt (RFC 7914) and a random salt. A stored password is a PHC string
 * (github.com/P-H-C/phc-string-format):
 *
 *   $scrypt$ln=14,r=8,p=5$<salt, 16 bytes>$<hash, 32 bytes>      both in base64 without padding; N = 2^ln.
 *
 * OWASP (Password Storage Cheat Sheet) rates N=2^14, r=8, p=5 (16 MiB) as strong as N=2^17 (128 MiB). With
 * 128 MiB, a hash takes twice as long as with 16 MiB. With 128 MiB, only half as many users could sign in
 * during an attack.
 */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHash } from '../model/user.ts';
import type { FairQueue, QueueClient } from '../scheduling/fair-queue.ts';
import { toNewPassword, type Client } from './client.ts';

export type ScryptParameters = Readonly<Record<'logN' | 'r' | 'p', number>>;

export const SCRYPT_PARAMETERS: ScryptParameters = { logN: 14, r: 8, p: 5 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;

const PHC_STRING = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{43})$/;

/** This maximum of N * r * p limits the check of a damaged hash to 256 MiB and about a second. */
const COST_MAX = 2 ** 21;

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

export function createPasswordHasher(queue: FairQueue, parameters = SCRYPT_PARAMETERS) {
  return {
    hash: (password: string, client: Client) =>
      queue.run(() => createHash(password, parameters), toNewPassword(client)),
    verify: (password: string, stored: PasswordHash, client: QueueClient) =>
      queue.run(() => matches(password, stored), client),
    /** A hash for unknown users. No password matches this hash, but a check takes as long as usual. */
    dummyHash: toStored(parameters, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES)),
    createHash: (password: string) => createHash(password, parameters),
  };
}

/** Makes a hash without the queue, for a program that serves no clients. */
export async function createHash(password: string, parameters = SCRYPT_PARAMETERS): Promise<PasswordHash> {
  const salt = randomBytes(SALT_BYTES);
  return toStored(parameters, salt, await derive(password, salt, parameters));
}

function toStored({ logN, r, p }: ScryptParameters, salt: Buffer, hash: Buffer): PasswordHash {
  return `$scrypt$ln=${logN},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}` as PasswordHash;
}

async function matches(password: string, stored: PasswordHash): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = PHC_STRING.exec(stored) ?? [];
  const parameters = { logN: Number(logN), r: Number(r), p: Number(p) };
  if (!isWithinBounds(parameters)) { // if the hash is malformed, its parameters are NaN and out of bounds
    return false;
  }
  const derived = await derive(password, Buffer.from(salt, 'base64'), parameters);
  const isEqual = timingSafeEqual(derived, Buffer.from(hash, 'base64'));
  // HMAC pads its key with NUL (RFC 2104 §2), so `secret` and `secret\0` have the same hash.
  return isEqual && !password.includes('\0');
}

/** RFC 7914 §2 requires N < 2^(16 r). */
const isWithinBounds = ({ logN, r, p }: ScryptParameters): boolean =>
  logN >= 1 && r >= 1 && p >= 1 && logN < 16 * r && 2 ** logN * r * p <= COST_MAX;

function derive(password: string, salt: Buffer, { logN, r, p }: ScryptParameters): Promise<Buffer> {
  const N = 2 ** logN;
  const neededBytes = 128 * r * (N + p); // Node.js refuses more than 32 MiB unless `maxmem` allows it
  return scryptAsync(password, salt, HASH_BYTES, { N, r, p, maxmem: 2 * neededBytes });
}

const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
