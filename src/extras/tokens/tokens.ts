/** `/api/v1/tokens`: tokens as records, without the secret text. The file stores/tokens.ts changes tokens. */
import { jsonBody } from '../../api/body.ts';
import { operation } from '../../api/operation.ts';
import { listQuery, toListRequest, type QueryOf } from '../../api/parameters.ts';
import { isRefusal, refuse, resultOf, type Refusal } from '../../api/problems.ts';
import { created, expectVersion, list, record, type Shown } from '../../api/replies.ts';
import type { Services } from '../../api/services.ts';
import type { Caller } from '../../auth/authenticate.ts';
import { raw, readOne, sql, type Database } from '../../database/database.ts';
import { array, object, optional, text, wordOf } from '../../jsonschema/schema.ts';
import { normalizeHost } from '../../model/audience.ts';
import { toTimestamp } from '../../model/clock.ts';
import { idOrName, toNameKey } from '../../model/name.ts';
import type { TokenId } from '../../model/token.ts';
import type { User } from '../../model/user.ts';
import { DIRECTIONS } from '../../resources/rules.ts';
import {
  newLifetime, revocationOf, revoked, toTokenRecord, type TokenLifetimes,
} from '../../resources/tokens.ts';
import { listJson } from '../../stores/list.ts';
import { text as jsonText, toObject } from '../../stores/representations.ts';
import { toToken, TOKEN_COLUMNS } from '../../stores/tokens.ts';

const newToken = (lifetimes: TokenLifetimes) => object({
  name: optional(text({
    maxLength: 100, pattern: `^[^\\p{Cc}\\p{Zl}\\p{Zp}${DIRECTIONS}]*$`,
    title: 'text without control characters and bidirectional controls',
  })),
  expiration: optional(newLifetime(lifetimes)),
  scope: optional(wordOf(['full', 'read_only', 'identity'])),
  audience: optional(array(text({ maxLength: 260, check: findHostFault }), { minItems: 1, maxItems: 10 })),
});

function findHostFault(host: string) {
  return normalizeHost(host) === undefined
    ? { keyword: 'format', message: 'must be a host name, with the port unless it is 80 or 443' }
    : undefined;
}

const tokenQuery = {
  username: text(),
  all_users: wordOf(['true', 'false']),
  last_four: text({
    pattern: '^[A-Za-z0-9_-]{4}$', title: 'four characters of a token: letters, digits, - and _',
  }),
  long_lived: wordOf(['true', 'false']),
  ...listQuery('expiration_date'),
};

const OWN_TOKEN = {
  id: 'id',
  name: jsonText('name'),
  last_four: jsonText('last_four'),
  scope: jsonText('scope'),
  audience: "coalesce(audience, 'null')",
  date_created: jsonText('date_created'),
  expiration_date: jsonText('substr(expires_at, 1, length(expires_at) - 1)'),
  last_used: jsonText('last_used'),
};

/** In a list of all users' tokens, each token names its owner. */
const ANY_TOKEN = {
  ...OWN_TOKEN, username: jsonText('(SELECT username FROM users WHERE users.id = user_id)'),
};

export function tokenCollectionOperations(lifetimes: TokenLifetimes, database: Database) {
  return {
    listTokens: operation({
      method: 'GET',
      path: '/api/v1/tokens',
      access: 'authenticated',
      query: tokenQuery,
      replies: list('tokens'),
      refuses: ['ownTokensOnly', 'noSuchUser', 'invalidParameter'],
      async handle(services, { query, caller }) {
        const owner = await findOwner(services, query, caller);
        if (isRefusal(owner)) {
          return owner;
        }
        return listJson(database, {
          ...toListRequest(query),
          table: 'tokens',
          key: 'expiry_key',
          conditions: [
            sql`expires_at > ${toTimestamp(services.clock())}`,
            query.long_lived === 'true' && raw('julianday(expires_at) - julianday(date_created) > 1'),
          ],
          indexed: [
            query.last_four !== undefined && sql`last_four = ${query.last_four}`,
            owner !== undefined && sql`user_id = ${owner.id}`,
          ],
          item: toObject(owner === undefined ? ANY_TOKEN : OWN_TOKEN),
        });
      },
    }),

    createToken: operation({
      method: 'POST',
      path: '/api/v1/tokens',
      access: 'authenticated',
      body: jsonBody(newToken(lifetimes), { isOptional: true }),
      replies: created('/api/v1/tokens'),
      refuses: ['unauthenticated', 'tooManyTokens', 'invalidBody'],
      async handle({ tokens }, { body, caller: { user: { id: userId } }, origin }) {
        const audience = body.audience && parseAudience(body.audience);
        if (isRefusal(audience)) {
          return audience;
        }
        const { name = '', scope = 'full', expiration = lifetimes.tokenLifetimeSeconds } = body;
        const token = { userId, name, scope, audience, lifetimeSeconds: expiration };
        const issued = resultOf(await tokens.insert(token, origin()));
        if (isRefusal(issued)) {
          return issued;
        }
        return { json: JSON.stringify({ token: issued.text, ...toTokenRecord(issued) }), id: issued.id };
      },
    }),

    deleteTokens: operation({
      method: 'DELETE',
      path: '/api/v1/tokens',
      access: 'authenticated',
      isUncounted: true,
      query: { username: text() },
      replies: revoked,
      refuses: ['unauthenticated', 'ownTokensOnly', 'noSuchUser', 'invalidParameter'],
      async handle({ tokens }, { query, caller, origin, request }) {
        const filters = ['all_users', 'last_four', 'long_lived', 'sort'].filter(
          (name) => request.query.has(name),
        );
        if (filters.length > 0) { // if filters were ignored, too many tokens would be revoked
          const faults = filters.map((name) => mustBeAbsent(name, ': this parameter is only for lists'));
          return refuse('invalidParameter', faults);
        }
        const owner = query.username === undefined ? caller.user : { name: query.username };
        return revocationOf(await tokens.revokeAllOf(owner, origin()));
      },
    }),

    readToken: operation({
      method: 'GET',
      path: '/api/v1/tokens/{token_id}',
      access: 'authenticated',
      replies: record,
      refuses: ['noSuchToken'],
      async handle(services, { path, caller }) {
        return (await find(services, toTokenId(path.token_id), caller)) ?? refuse('noSuchToken');
      },
    }),

    deleteToken: operation({
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      access: 'authenticated',
      isUncounted: true,
      replies: revoked,
      refuses: ['unauthenticated', 'noSuchToken', 'preconditionFailed'],
      async handle(services, { path, caller, origin, request }) {
        const id = toTokenId(path.token_id);
        const expected = await expectVersion(request, () => find(services, id, caller));
        if (expected === 'unmet') {
          return refuse('preconditionFailed');
        }
        return resultOf(await services.tokens.revoke({ id }, origin()));
      },
    }),
  };

  /** The entity tag ignores `last_used`, so that using the token does not make `If-Match` fail. */
  async function find({ clock }: Services, id: TokenId, { user }: Caller): Promise<Shown | undefined> {
    const token = await readOne(database, sql`SELECT ${raw(TOKEN_COLUMNS)} FROM tokens
      WHERE id = ${id} AND expires_at > ${toTimestamp(clock())}`, toToken);
    if (token === undefined || !(token.userId === user.id || user.isAdmin)) {
      return undefined;
    }
    const record = toTokenRecord(token);
    return { json: JSON.stringify(record), tagged: JSON.stringify({ ...record, last_used: null }) };
  }
}

/** Tokens have ids but no unique names, so a path with a name instead of an id finds no token. */
function toTokenId(segment: string): TokenId {
  const ref = idOrName<TokenId>(segment);
  return 'id' in ref ? ref.id : 0 as TokenId; // no token has the id 0
}

/**
 * Refuses a repeated host, even in another spelling: `wiki.example` and `WIKI.example:443` are one host. The
 * schema has already refused values that are not hosts.
 */
function parseAudience(hosts: readonly string[]): readonly string[] | Refusal<'invalidBody'> {
  const audience = hosts.map(normalizeHost).filter((host) => host !== undefined);
  const faults = audience.flatMap((host, index) => audience.indexOf(host) === index ? []
    : [{ pointer: `/audience/${index}`, keyword: 'uniqueItems', message: 'must not repeat a host' }]);
  return faults.length > 0 ? refuse('invalidBody', faults) : audience;
}

/** @returns The owner of the tokens, or `undefined` for the tokens of all users. */
async function findOwner(
  { users }: Services, { all_users: allUsers, username: name }: QueryOf<typeof tokenQuery>, { user }: Caller,
): Promise<User | undefined | Refusal<'ownTokensOnly' | 'noSuchUser' | 'invalidParameter'>> {
  const isForAll = allUsers === 'true';
  if (isForAll && name !== undefined) {
    return refuse('invalidParameter', [mustBeAbsent('username', ' with all_users=true')]);
  }
  if (!isForAll && (name === undefined || toNameKey(name) === toNameKey(user.username))) {
    return user;
  }
  if (!user.isAdmin) {
    return refuse('ownTokensOnly');
  }
  return name === undefined ? undefined : (await users.find({ name })) ?? refuse('noSuchUser');
}

function mustBeAbsent(name: string, when: string) {
  return { parameter: name, keyword: 'not', message: `must be absent${when}` };
}
