/** `/api/v1/tokens`: tokens as records, without their secret text. */
import { jsonBody } from '../../api/body.ts';
import { expectVersion, refuseFailed } from '../../api/changes.ts';
import { operation } from '../../api/operation.ts';
import { pageRequest, paging, parseId, sortBy, sortOrder } from '../../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../../api/problems.ts';
import { created, list, record, type Tagged } from '../../api/replies.ts';
import type { Services } from '../../api/services.ts';
import type { Caller } from '../../auth/authenticate.ts';
import type { Database } from '../../database/database.ts';
import { toEntityTag } from '../../http/conditional.ts';
import { normalizeHost } from '../../http/host.ts';
import { array, integer, object, optional, text, wordOf } from '../../jsonschema/typed.ts';
import { toTimestamp } from '../../model/clock.ts';
import { toNameKey } from '../../model/name.ts';
import type { Token, TokenId } from '../../model/token.ts';
import type { User } from '../../model/user.ts';
import { HIDDEN } from '../../resources/rules.ts';
import {
  issue, ISSUE_REFUSALS, newLifetime, refuseRevocation, revoked, toTokenRecord, type TokenLifetimes,
} from '../../resources/tokens.ts';
import { createTokenReader } from './store.ts';

const newToken = (lifetimes: TokenLifetimes) => object({
  name: optional(text({
    maxLength: 100, pattern: `^[^${HIDDEN}]*$`, title: 'visible text without control characters',
  })),
  expiration: optional(newLifetime(lifetimes)),
  scope: optional(wordOf(['full', 'read_only', 'identity'])),
  audience: optional(array(text({ maxLength: 260 }), { minItems: 1, maxItems: 10 })),
});

const inPath = { token_id: { ...integer({ minimum: 1 }), convert: parseId<TokenId> } };

export function tokenCollectionOperations(lifetimes: TokenLifetimes, database: Database) {
  const reader = createTokenReader(database);
  return {
    listTokens: operation({
      method: 'GET',
      path: '/api/v1/tokens',
      access: 'authenticated',
      mayTakeLong: true,
      query: {
        username: text(),
        all_users: wordOf(['true', 'false']),
        last_four: text({
          pattern: '^[A-Za-z0-9_-]{4}$',
          title: 'four characters of a token: letters, digits, - and _',
        }),
        long_lived: wordOf(['true', 'false']),
        sort: sortBy('expiration_date'),
        ...paging,
      },
      replies: list('tokens'),
      refuses: ['ownTokensOnly', 'noSuchUser', 'invalidParameter'],
      async handle(services, { query, caller }) {
        const isForAll = query.all_users === 'true';
        if (isForAll && query.username !== undefined) {
          return refuse('invalidParameter', [mustBeAbsent('username', ' with all_users=true')]);
        }
        if (isForAll && !caller.user.isAdmin) {
          return refuse('ownTokensOnly');
        }
        const owner = isForAll ? undefined : await findOwner(services, query.username, caller);
        if (isRefusal(owner)) {
          return owner;
        }
        const [page, now] = [pageRequest(query), toTimestamp(services.clock())];
        const { last_four: lastFour, long_lived: longLived } = query;
        const isLongLived = longLived === 'true';
        const found = await reader.list({
          userId: owner?.id, lastFour, now, isLongLived, page, sort: sortOrder(query.sort),
        });
        return { page, found };
      },
    }),

    createToken: operation({
      method: 'POST',
      path: '/api/v1/tokens',
      access: 'authenticated',
      body: jsonBody(newToken(lifetimes), { isOptional: true }),
      replies: created,
      refuses: [...ISSUE_REFUSALS, 'invalidBody'],
      async handle(services, { body: { name = '', scope = 'full', expiration, ...body }, caller, origin }) {
        const audience = body.audience && parseAudience(body.audience);
        if (isRefusal(audience)) {
          return audience;
        }
        const lifetimeSeconds = expiration ?? lifetimes.tokenLifetimeSeconds;
        const issued = await issue(services, { name, scope, audience, lifetimeSeconds }, caller, origin);
        if (isRefusal(issued)) {
          return issued;
        }
        const shown = { token: issued.text, ...toTokenRecord(issued.record) };
        return { json: JSON.stringify(shown), location: `/api/v1/tokens/${shown.id}` };
      },
    }),

    deleteTokens: operation({
      method: 'DELETE',
      path: '/api/v1/tokens',
      access: 'authenticated',
      isFree: true,
      query: { username: text() },
      replies: revoked,
      refuses: ['unauthenticated', 'ownTokensOnly', 'noSuchUser', 'invalidParameter'],
      async handle(services, { query, caller, origin, request }) {
        const filters = ['all_users', 'last_four', 'long_lived', 'sort'].filter(
          (name) => request.query.has(name),
        );
        if (filters.length > 0) { // an ignored filter would revoke too many tokens
          const faults = filters.map((name) => mustBeAbsent(name, ': it only filters lists'));
          return refuse('invalidParameter', faults);
        }
        const owner = query.username === undefined ? caller.user : { name: query.username };
        return refuseRevocation(await services.tokens.revokeAllOf(owner, origin));
      },
    }),

    readToken: operation({
      method: 'GET',
      path: '/api/v1/tokens/{token_id}',
      parameters: inPath,
      access: 'authenticated',
      replies: record,
      refuses: ['noSuchToken'],
      async handle(services, { path, caller }) {
        const token = await findToken(services, path.token_id, caller);
        return token === undefined ? refuse('noSuchToken') : withTag(token);
      },
    }),

    deleteToken: operation({
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      parameters: inPath,
      access: 'authenticated',
      isFree: true,
      replies: revoked,
      refuses: ['unauthenticated', 'noSuchToken', 'preconditionFailed'],
      async handle(services, { path, caller, origin, request }) {
        const expected = await expectVersion(request, async () => {
          const token = await findToken(services, path.token_id, caller);
          return token && { ...withTag(token), version: 1 };
        });
        if (expected === 'unmet') {
          return refuse('preconditionFailed');
        }
        const outcome = await services.tokens.revoke({ id: path.token_id }, origin);
        return outcome.kind === 'refused' ? refuseFailed(outcome) : undefined;
      },
    }),
  };

  /** Finds a token. Only administrators find a token of another user; for others it does not exist. */
  async function findToken(
    { clock }: Services, id: TokenId | undefined, { user }: Caller,
  ): Promise<Token | undefined> {
    const token = id && (await reader.find(id, toTimestamp(clock())));
    return token !== undefined && (token.userId === user.id || user.isAdmin) ? token : undefined;
  }
}

/**
 * Reads the hosts of the programs that a token is for. A repeated host is refused: `wiki.example` and
 * `WIKI.example:443` are one program, but their reader may expect two.
 */
function parseAudience(hosts: readonly string[]): readonly string[] | Refusal<'invalidBody'> {
  const audience = hosts.map(normalizeHost);
  const faults = audience.flatMap((host, index) => {
    const pointer = `/audience/${index}`;
    if (host === undefined) {
      return [{ pointer, keyword: 'format', message: 'must be a host name, with a port if it needs one' }];
    }
    const isRepeated = audience.indexOf(host) < index;
    return isRepeated ? [{ pointer, keyword: 'uniqueItems', message: 'must not name a host again' }] : [];
  });
  return faults.length > 0 ? refuse('invalidBody', faults) : audience.filter((host) => host !== undefined);
}

/** Finds the owner of the tokens: the caller, or the user whom an administrator names. */
async function findOwner(
  { users }: Services, name: string | undefined, { user }: Caller,
): Promise<User | Refusal<'ownTokensOnly' | 'noSuchUser'>> {
  if (name === undefined || toNameKey(name) === toNameKey(user.username)) {
    return user;
  }
  return user.isAdmin ? (await users.find({ name })) ?? refuse('noSuchUser') : refuse('ownTokensOnly');
}

function mustBeAbsent(name: string, when: string) {
  return { parameter: name, keyword: 'not', message: `must be absent${when}` };
}

/** Makes the tag without the last use, which changes once a minute and needs no protection by `If-Match`. */
function withTag(token: Token): Tagged {
  const record = toTokenRecord(token);
  return { json: JSON.stringify(record), tag: toEntityTag(JSON.stringify({ ...record, last_used: null })) };
}
