/** `/api/v1/token` */
import type { Caller } from '../auth/authenticate.ts';
import { createToken, toTokenDigest } from '../auth/token.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import { problems } from '../problems.ts';
import { readInteger, readText } from './parameters.ts';
import type { Services } from './services.ts';

const TOKEN_STATUS_DELETED = jsonReply(200, { token_status: 'deleted' });

export async function issueToken({ tokens, clock, tokenLifetimes }: Services, { query }: HttpRequest, { user }: Caller): Promise<Reply> {
  const { defaultSeconds, maxSeconds } = tokenLifetimes;
  const lifetimeSeconds = readInteger(query, { name: 'expiration', min: 1, max: maxSeconds }) ?? defaultSeconds;
  const now = clock();
  const token = createToken();
  const expiresAt = toTimestamp(now + lifetimeSeconds * 1000);
  await tokens.insert({ digest: toTokenDigest(token), userId: user.id, dateCreated: toTimestamp(now), expiresAt });
  const answer = { token, expiration_date: withoutZone(expiresAt) };
  return jsonReply(201, answer, { 'Location': '/api/v1/token' });
}

/** Rules 1 to 3 of `DELETE /api/v1/token` in the specification. */
export async function revokeToken({ users, tokens }: Services, { query }: HttpRequest, caller: Caller): Promise<Reply> {
  const username = caller.user.isAdmin ? readText(query, 'username') : undefined;
  if (username !== undefined) {
    const user = await users.findByName(username);
    if (user === undefined) {
      throw problems.notFound('user');
    }
    await tokens.revokeAllOf(user.id);
  } else if (caller.signIn === 'token') {
    await tokens.revoke(caller.token);
  } else {
    await tokens.revokeAllOf(caller.user.id); // with a password, every token is the current one
  }
  return TOKEN_STATUS_DELETED;
}

/** The specification wants this one date without a zone designator; it is UTC all the same. */
function withoutZone(timestamp: Timestamp): string {
  return timestamp.slice(0, -1);
}
