/** `/api/v1/tokens`: tokens as records, without their secret text. */
import { created, list, read, type Tagged } from '../../api/answers.ts';
import { optionalBody } from '../../api/body.ts';
import { auditContext, LOST_RIGHTS, refuseFailed } from '../../api/changes.ts';
import { operation } from '../../api/operation.ts';
import { pageRequest, paging, parameter, usernameInQuery } from '../../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../../api/problems.ts';
import type { Services } from '../../api/services.ts';
import type { Caller } from '../../auth/authenticate.ts';
import type { Database } from '../../database/database.ts';
import { evaluatePreconditions, toEntityTag } from '../../http/conditional.ts';
import { object, oneOf, optional, text } from '../../jsonschema/typed.ts';
import { toTimestamp } from '../../model/clock.ts';
import { toNameKey } from '../../model/name.ts';
import type { Token, TokenId } from '../../model/token.ts';
import type { User } from '../../model/user.ts';
import { HIDDEN, tokenRecord, toTokenRecord } from '../../resources/schemas.ts';
import {
  issue, ISSUE_REFUSALS, newLifetime, refuseRevocation, revoked, type TokenLifetimes,
} from '../../resources/tokens.ts';
import { createdToken, listedToken, toCreatedToken, tokenInPath } from './records.ts';
import { createTokenReader } from './store.ts';

const ownerInQuery = usernameInQuery(
  'The owner of the tokens, for administrators. Other callers may only give their own name.',
);
const NOT_WITH_ALL_USERS = {
  parameter: 'username', keyword: 'not', message: 'must be absent with all_users=true',
};

export function tokenCollectionOperations(lifetimes: TokenLifetimes, database: Database) {
  const reader = createTokenReader(database);
  const newToken = object({
    name: optional(text({
      maxLength: 100,
      pattern: `^[^${HIDDEN}]*$`,
      title: 'visible text without control characters',
      description:
        'A name that identifies the token to you, without control and invisible characters; empty unless ' +
        'given.',
      example: 'laptop',
    })),
    expiration: optional(newLifetime(lifetimes)),
    scope: optional(oneOf(['full', 'read_only', 'identity'], {
      description: '`full` unless given. `identity` is for a token that you give to a program.',
    })),
  });

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
          return refuse('invalidParameter', [NOT_WITH_ALL_USERS]);
        }
        if (isForAll && !caller.user.isAdmin) {
          return refuse('ownTokensOnly');
        }
        const owner = isForAll ? undefined : await findOwner(services, query.username, caller);
        if (isRefusal(owner)) {
          return owner;
        }
        const page = pageRequest(query);
        const now = toTimestamp(services.clock());
        const found = await reader.list({
          userId: owner?.id, lastFour: query.last_four, now, page,
        });
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
        'Like `POST /api/v1/token`, with a name and a scope. The body and each of its ' +
        'members may be left out.',
      body: optionalBody('NewToken', newToken),
      answers: created(
        createdToken, 'The token, which is shown only now, and its record.', '/api/v1/tokens/7',
      ),
      refuses: ISSUE_REFUSALS,
      async handle(services, { body, caller, request }) {
        const { name = '', scope = 'full' } = body;
        const lifetimeSeconds = body.expiration ?? lifetimes.tokenLifetimeSeconds;
        const issued = await issue(services, { name, scope, lifetimeSeconds }, caller, request);
        if (isRefusal(issued)) {
          return issued;
        }
        return toCreatedToken(issued.text, issued.record);
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
          return refuse('invalidParameter', filters.map(
            (parameter) => ({ parameter, keyword: 'not', message: 'must be absent: it only filters lists' }),
          ));
        }
        const owner = await findOwner(services, query.username, caller);
        if (isRefusal(owner)) {
          return owner;
        }
        return refuseRevocation(
          await services.tokens.revokeAllOf(owner, auditContext(services, request, caller)),
        );
      },
    }),

    readToken: operation({
      method: 'GET',
      path: '/api/v1/tokens/{token_id}',
      parameters: tokenInPath,
      access: 'authenticated',
      tag: 'Tokens',
      summary: "Get a token's details",
      description: 'Finds valid tokens of the caller only; administrators find those of every user.',
      answers: read(tokenRecord, 'The record of the token.'),
      refuses: ['noSuchToken'],
      async handle(services, { path, caller }) {
        const token = await findToken(services.clock(), path.token_id, caller);
        return token === undefined ? refuse('noSuchToken') : tagged(token);
      },
    }),

    deleteToken: operation({
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      parameters: tokenInPath,
      access: 'authenticated',
      endsAccess: true,
      tag: 'Tokens',
      summary: 'Revoke a token',
      description: 'Finds valid tokens of the caller only; administrators find those of every user.',
      answers: revoked,
      refuses: ['noSuchToken', 'preconditionFailed', ...LOST_RIGHTS],
      async handle(services, { path, caller, request }) {
        const token = await findToken(services.clock(), path.token_id, caller);
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
    nowMs: number, id: TokenId | undefined, { user }: Caller,
  ): Promise<Token | undefined> {
    const token = id && (await reader.find(id, toTimestamp(nowMs)));
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
  if (!user.isAdmin) {
    return refuse('ownTokensOnly');
  }
  return (await users.find({ name })) ?? refuse('noSuchUser');
}

/** Makes the tag without the last use, which changes once a minute and needs no protection by `If-Match`. */
function tagged(token: Token): Tagged {
  const record = toTokenRecord(token);
  return { json: JSON.stringify(record), tag: toEntityTag(JSON.stringify({ ...record, last_used: null })) };
}
