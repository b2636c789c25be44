/** `/api/v1/tokens`: tokens as records, without their secret text. */
import { created, list, read, type Tagged } from '../../api/answers.ts';
import { optionalBody } from '../../api/body.ts';
import { auditContext, LOST_RIGHTS, refuseFailed } from '../../api/changes.ts';
import { operation } from '../../api/operation.ts';
import { idInPath, pageRequest, paging, parameter, usernameInQuery } from '../../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../../api/problems.ts';
import type { Services } from '../../api/services.ts';
import type { Caller } from '../../auth/authenticate.ts';
import type { Database } from '../../database/database.ts';
import { evaluatePreconditions, toEntityTag } from '../../http/conditional.ts';
import { describe, object, oneOf, optional, text, type ValueOf } from '../../jsonschema/typed.ts';
import { toTimestamp } from '../../model/clock.ts';
import { toNameKey } from '../../model/name.ts';
import type { Token, TokenId } from '../../model/token.ts';
import type { User } from '../../model/user.ts';
import { HIDDEN, tokenMembers, tokenRecord, toTokenRecord, username } from '../../resources/schemas.ts';
import {
  issue, ISSUE_REFUSALS, newLifetime, refuseRevocation, revoked, tokenText, type TokenLifetimes,
} from '../../resources/tokens.ts';
import { createTokenReader } from './store.ts';

export const listedToken = object({
  ...tokenMembers,
  username: optional(describe(username, { description: 'The owner; present only with `all_users=true`.' })),
}, { description: 'A token as lists show it.' });

const createdToken = object({ token: tokenText, ...tokenMembers });

const newToken = (lifetimes: TokenLifetimes) => object({
  name: optional(text({
    maxLength: 100,
    pattern: `^[^${HIDDEN}]*$`,
    title: 'visible text without control characters',
    description: 'A name by which you recognise the token, without invisible characters; may be empty.',
    example: 'laptop',
  })),
  expiration: optional(newLifetime(lifetimes)),
  scope: optional(oneOf(['full', 'read_only', 'identity'], {
    description: '`full` unless given. `identity` is for a token that you give to a program.',
  })),
});

const inPath = {
  token_id: idInPath<TokenId>('The id of a token, as lists show it; not the token itself.', 7),
};
const ownerInQuery = usernameInQuery(
  'The owner of the tokens, for administrators. Other callers may only give their own name.',
);

export function tokenCollectionOperations(lifetimes: TokenLifetimes, database: Database) {
  const reader = createTokenReader(database);
  return {
    listTokens: operation({
      method: 'GET',
      path: '/api/v1/tokens',
      access: 'authenticated',
      mayTakeLong: true,
      tag: 'Tokens',
      summary: 'List tokens',
      description:
        'The valid tokens of the caller by id, without their text; for an administrator, ' +
        'those of a named user or of all users. To revoke a token that has leaked, find its record with ' +
        '`all_users=true` and `last_four`.',
      query: {
        username: ownerInQuery,
        all_users: parameter(oneOf(['true', 'false'], {
          description: 'Whether to list the tokens of all users, for administrators. Not with `username`.',
        })),
        last_four: parameter(text({
          pattern: '^[A-Za-z0-9_-]{4}$',
          title: 'four characters of a token: letters, digits, - and _',
          description: 'Only tokens that end with these four characters. Case matters.',
          example: 'NNYw',
        })),
        ...paging,
      },
      answers: list('tokens', listedToken, '/api/v1/tokens'),
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
        const found = await reader.list({ userId: owner?.id, lastFour: query.last_four, now, page });
        return { page, found };
      },
    }),

    createToken: operation({
      method: 'POST',
      path: '/api/v1/tokens',
      access: 'authenticated',
      tag: 'Tokens',
      summary: 'Create a named token',
      description:
        'Like `POST /api/v1/token`, with a name and a scope. The body and its members may be left out.',
      body: optionalBody('NewToken', newToken(lifetimes)),
      answers: created(
        createdToken, 'The token, which is shown only now, and its record.', '/api/v1/tokens/7',
      ),
      refuses: ISSUE_REFUSALS,
      async handle(services, { body: { name = '', scope = 'full', expiration }, caller, request }) {
        const lifetimeSeconds = expiration ?? lifetimes.tokenLifetimeSeconds;
        const issued = await issue(services, { name, scope, lifetimeSeconds }, caller, request);
        if (isRefusal(issued)) {
          return issued;
        }
        const record = toTokenRecord(issued.record);
        const shown: ValueOf<typeof createdToken> = { token: issued.text, ...record };
        return { json: JSON.stringify(shown), location: `/api/v1/tokens/${record.id}` };
      },
    }),

    deleteTokens: operation({
      method: 'DELETE',
      path: '/api/v1/tokens',
      access: 'authenticated',
      endsAccess: true,
      tag: 'Tokens',
      summary: 'Revoke all tokens',
      description:
        'Revokes every token of the caller, the one in use included; for an administrator, ' +
        'those of a named user. `all_users` and `last_four`, which only filter lists, are refused.',
      query: { username: ownerInQuery },
      answers: revoked,
      refuses: ['ownTokensOnly', 'noSuchUser', 'invalidParameter', ...LOST_RIGHTS],
      async handle(services, { query, caller, request }) {
        const filters = ['all_users', 'last_four'].filter((name) => request.query.has(name));
        if (filters.length > 0) { // an ignored filter would revoke too many tokens
          const faults = filters.map((name) => mustBeAbsent(name, ': it only filters lists'));
          return refuse('invalidParameter', faults);
        }
        const owner = await findOwner(services, query.username, caller);
        return isRefusal(owner) ? owner : refuseRevocation(
          await services.tokens.revokeAllOf(owner, auditContext(services, request, caller)),
        );
      },
    }),

    readToken: operation({
      method: 'GET',
      path: '/api/v1/tokens/{token_id}',
      parameters: inPath,
      access: 'authenticated',
      tag: 'Tokens',
      summary: "Get a token's details",
      description: 'Finds valid tokens of the caller only; administrators find those of every user.',
      answers: read(tokenRecord, 'The record of the token.'),
      refuses: ['noSuchToken'],
      async handle(services, { path, caller }) {
        const token = await findToken(services, path.token_id, caller);
        return token === undefined ? refuse('noSuchToken') : tagged(token);
      },
    }),

    deleteToken: operation({
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      parameters: inPath,
      access: 'authenticated',
      endsAccess: true,
      tag: 'Tokens',
      summary: 'Revoke a token',
      description: 'Finds valid tokens of the caller only; administrators find those of every user.',
      answers: revoked,
      refuses: ['noSuchToken', 'preconditionFailed', ...LOST_RIGHTS],
      async handle(services, { path, caller, request }) {
        const token = await findToken(services, path.token_id, caller);
        if (token === undefined) {
          return refuse('noSuchToken');
        }
        if (evaluatePreconditions(request, tagged(token).tag) !== 'proceed') {
          return refuse('preconditionFailed');
        }
        const outcome = await services.tokens.revoke(token, auditContext(services, request, caller));
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
function tagged(token: Token): Tagged {
  const record = toTokenRecord(token);
  return { json: JSON.stringify(record), tag: toEntityTag(JSON.stringify({ ...record, last_used: null })) };
}
