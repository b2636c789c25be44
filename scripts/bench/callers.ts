/**
 * The users who send the requests. They come after the filled ones, so that the projects which they create in the run
 * appear on no measured page. Their names, like those of everybody who registers in the run, have no letters, so that no
 * search finds them.
 */
import { createToken, toLastFour, toTokenDigest } from '../../src/auth/token.ts';
import { openDatabase } from '../../src/database/open.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { createUserStore } from '../../src/stores/users.ts';
import { gatherWrites } from './batches.ts';
import { FILLED_AT, hashPassword, ORIGIN } from './fill.ts';

export interface Caller {
  readonly username: string;
  readonly token: string;
}

export const CALLER_COUNT = 16;

const TOKENS_EXPIRE_AT = toTimestamp(Date.parse('2999-01-01T00:00:00Z'));

/** Adds the callers, whose password is `PASSWORD`, and a token for each. */
export async function addCallers(file: string): Promise<readonly Caller[]> {
  const database = gatherWrites(await openDatabase({ driver: 'sqlite', path: file }));
  const [users, tokens] = [
    createUserStore(database), createTokenStore(database, { tokensPerUserMax: 1_000 }),
  ];
  const passwordHash = await hashPassword();

  async function addCaller(number: number): Promise<Caller> {
    const [username, token] = [`_${number}`, createToken()];
    const outcome = await users.insert({ username, email: 'caller@example.org', passwordHash, isAdmin: false, dateCreated: FILLED_AT }, ORIGIN);
    if (outcome.kind !== 'inserted') {
      throw new Error(`Cannot add the caller "${username}": ${outcome.kind}`);
    }
    await tokens.insert(
      {
        digest: toTokenDigest(token),
        lastFour: toLastFour(token),
        owner: outcome.user,
        name: 'bench',
        scope: 'full',
        dateCreated: FILLED_AT,
        expiresAt: TOKENS_EXPIRE_AT,
      },
      { kind: 'password', passwordVersion: 1 },
      ORIGIN,
    );
    return { username, token };
  }

  try {
    return await Promise.all(Array.from({ length: CALLER_COUNT }, (_, index) => addCaller(index + 1)));
  } finally {
    await database.close();
  }
}
