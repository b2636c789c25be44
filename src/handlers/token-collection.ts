/** `/api/v1/tokens`: the tokens of a user as records, which name the token but cannot be used in its place. */
import type { Caller } from '../auth/authenticate.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { Token, TokenId } from '../model/token.ts';
import type { User } from '../model/user.ts';
import { problems } from '../problems.ts';
import { toNewTokenBody } from '../schemas/tokens.ts';
import { answerRecord, refuseFailedPrecondition, toLostRightProblem } from './change.ts';
import { toOrigin } from './origin.ts';
import { parseIdOrName, readPage, readText, toJsonPage, toListReply } from './parameters.ts';
import type { Services } from './services.ts';
import { answerRevocation, issue, TOKEN_STATUS_DELETED, withoutZone } from './tokens.ts';

export async function listTokens(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const page = readPage(request.query);
  const owner = await findOwner(services, request, caller);
  const found = await services.tokens.listOf(owner.id, { now: toTimestamp(services.clock()), page });
  return toListReply('tokens', request, page, toJsonPage(found, toTokenRecord));
}

export async function createNamedToken(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const { name, scope, expiration } = toNewTokenBody(request.body);
  const { text, token } = await issue(services, { name, scope, lifetimeSeconds: expiration }, { request, caller });
  return jsonReply(201, { token: text, ...toTokenRecord(token) }, { 'Location': `/api/v1/tokens/${token.id}` });
}

export async function readToken(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const token = await findAddressedToken(services, request, caller);
  return answerRecord(request, { json: JSON.stringify(toTokenRecord(token)) });
}

export async function deleteToken(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const token = await findAddressedToken(services, request, caller);
  refuseFailedPrecondition(request, { json: JSON.stringify(toTokenRecord(token)) });
  const outcome = await services.tokens.revoke(token, toOrigin(services, request, caller));
  switch (outcome.kind) {
    case 'revoked':
      return TOKEN_STATUS_DELETED;
    case 'gone': // since it was found
      throw problems.notFound('token');
    case 'credentials-revoked':
    case 'role-lost':
      throw toLostRightProblem(outcome);
  }
}

/** The token in use goes too. */
export async function deleteTokens(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const owner = await findOwner(services, request, caller);
  const outcome = await services.tokens.revokeAllOf(owner, toOrigin(services, request, caller));
  return answerRevocation(outcome);
}

/** The caller, or the user whom an administrator names. */
async function findOwner({ users }: Services, { query }: HttpRequest, { user }: Caller): Promise<User> {
  const username = readText(query, 'username');
  if (username === undefined || toNameKey(username) === toNameKey(user.username)) {
    return user;
  }
  if (!user.isAdmin) {
    throw problems.forbidden('Only an administrator may see or revoke the tokens of somebody else');
  }
  const owner = await users.find({ name: username });
  if (owner === undefined) {
    throw problems.notFound('user');
  }
  return owner;
}

/** For everybody but an administrator, the tokens of others do not exist. */
async function findAddressedToken({ tokens, clock }: Services, { pathParameters }: HttpRequest, { user }: Caller): Promise<Token> {
  const address = parseIdOrName<TokenId>(pathParameters['token_id'] ?? '');
  const token = address && 'id' in address ? await tokens.find(address.id, toTimestamp(clock())) : undefined;
  if (token === undefined || (token.userId !== user.id && !user.isAdmin)) {
    throw problems.notFound('token');
  }
  return token;
}

export function toTokenRecord({ id, name, lastFour, scope, dateCreated, expiresAt, lastUsed }: Token) {
  return {
    id,
    name,
    last_four: lastFour,
    scope,
    date_created: dateCreated,
    expiration_date: withoutZone(expiresAt),
    last_used: lastUsed ?? null,
  };
}
