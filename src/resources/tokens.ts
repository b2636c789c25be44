/**
 * `/api/v1/token`, as specified, and `/api/v1/tokens`: the same tokens as records without their secret text.
 */
import type { Caller } from '../auth/authenticate.ts';
import { createToken, toLastFour, toTokenDigest } from '../auth/token.ts';
import { evaluatePreconditions, toEntityTag } from '../http/conditional.ts';
import type { HttpRequest } from '../http/exchange.ts';
import { boolean, integer, object, oneOf, optional, text, type ValueOf } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import type { Token, TokenId } from '../model/token.ts';
import type { User } from '../model/user.ts';
import type { TokenStore } from '../stores/tokens.ts';
import { created, done, list, read, type Tagged } from './answers.ts';
import { optionalBody } from './body.ts';
import { auditContext, LOST_RIGHTS, refuseFailed } from './changes.ts';
import { operation } from './operation.ts';
import { idInPath, pageRequest, paging, parameter, usernameInQuery } from './parameters.ts';
import { isRefusal, refuse, type Refusal } from './problems.ts';
import {
  expirationDate, HIDDEN, listedToken, tokenMembers, tokenRecord, toTokenRecord, withoutZone,
} from './schemas.ts';
import type { Services } from './services.ts';

interface TokenLifetimes {
  readonly tokenLifetimeSeconds: number;
  readonly tokenLifetimeSecondsMax: number;
}

const tokenText = text({
  pattern: '^rollcall_[A-Za-z0-9_-]{49}$',
  description: 'The token, which is shown only now. Treat it like a password.',
  example: 'rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw',
});

const issuedToken = object({ token: tokenText, expiration_date: expirationDate });
export const createdToken = object({ token: tokenText, ...tokenMembers });

export const tokenInPath = {
  token_id: idInPath<TokenId>('The id of a token, as lists show it; not the token itself.', 7),
};
const ownerInQuery = usernameInQuery(
  'The owner of the tokens, for administrators. Other callers may only give their own name.',
);
const NOT_WITH_ALL_USERS = {
  parameter: 'username', keyword: 'not', message: 'must be absent with all_users=true',
};
const revoked = done(
  'Revoked. The response is the same when no token was valid.', { token_status: 'deleted' },
);

const ISSUE_REFUSALS = ['unauthenticated', 'tooManyTokens', 'tooManyConflicts'] as const;

export function tokenOperations({ tokenLifetimeSeconds, tokenLifetimeSecondsMax }: TokenLifetimes) {
  const lifetime = integer({
    minimum: 1,
    maximum: tokenLifetimeSecondsMax,
    description: `Lifetime in seconds, ${tokenLifetimeSeconds} unless given.`,
    example: Math.min(3_600, tokenLifetimeSecondsMax),
  });
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
    expiration: optional(lifetime),
    scope: optional(oneOf(['full', 'read_only', 'identity'], {
      description: '`full` unless given. `identity` is for a token that you give to a program.',
    })),
    renewable: optional(boolean({
      description: 'Whether the token may renew itself. Needs the password.', example: false,
    })),
  });

  return {
    issueToken: operation({
      method: 'POST',
      path: '/api/v1/token',
      access: 'authenticated',
      tag: 'Tokens',
      summary: 'Issue a token',
      description:
        'Exchanges a password for a token. A user may hold several, each valid until it expires or is ' +
        'revoked. A token that was issued with another token expires no later, and is revoked with it.',
      query: { expiration: parameter(lifetime) },
      answers: created(issuedToken, 'The token, which is shown only now.', '/api/v1/token'),
      refuses: ISSUE_REFUSALS,
      async handle(services, { query, caller, request }) {
        const issued = await issue(
          services,
          { name: '', scope: 'full', lifetimeSeconds: query.expiration, isRenewable: false }, caller, request,
        );
        if (isRefusal(issued)) {
          return issued;
        }
        const { text: token, record } = issued;
        const shown: ValueOf<typeof issuedToken> = { token, expiration_date: withoutZone(record.expiresAt) };
        return { json: JSON.stringify(shown), location: '/api/v1/token' };
      },
    }),

    revokeToken: operation({
      method: 'DELETE',
      path: '/api/v1/token',
      access: 'authenticated',
      endsAccess: true,
      tag: 'Tokens',
      summary: 'Revoke the current token',
      description:
        'Revokes the token in use, or with a password every token of the caller. An administrator may name ' +
        'a user, whose tokens are all revoked.',
      query: {
        username: usernameInQuery(
          'The user whose tokens to revoke, for administrators. Ignored for other callers.',
        ),
      },
      answers: revoked,
      refuses: ['noSuchUser', ...LOST_RIGHTS],
      /** Rules 1 to 3 of `DELETE /api/v1/token` in the specification. */
      async handle(services, { query, caller, request }) {
        const { users, tokens } = services;
        const context = auditContext(services, request, caller);
        if (query.username !== undefined && caller.user.isAdmin) {
          const user = await users.find({ name: query.username });
          return user === undefined
            ? refuse('noSuchUser')
            : refuseRevocation(await tokens.revokeAllOf(user, context));
        }
        return refuseRevocation(caller.signIn === 'token'
          ? await tokens.revoke(caller.token, context)
          // With a password, every token is the current one.
          : await tokens.revokeAllOf(caller.user, context));
      },
    }),

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
        const found = await services.tokens.list({
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
      refuses: ['passwordNeeded', ...ISSUE_REFUSALS],
      async handle(services, { body, caller, request }) {
        const { name = '', scope = 'full', expiration: lifetimeSeconds } = body;
        const isRenewable = body.renewable ?? false;
        if (isRenewable && caller.signIn === 'token') {
          return refuse('passwordNeeded'); // a stolen token must not become one without an end
        }
        const issued = await issue(services, { name, scope, lifetimeSeconds, isRenewable }, caller, request);
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
        const token = await findToken(services, path.token_id, caller);
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
}

/** @returns The answer that shows a new token. */
export function toCreatedToken(token: string, record: Token) {
  const shown: ValueOf<typeof createdToken> = { token, ...toTokenRecord(record) };
  return { json: JSON.stringify(shown), location: `/api/v1/tokens/${record.id}` };
}

interface TokenRequest extends Pick<Token, 'name' | 'scope'> {
  /** The lifetime in seconds; the default lifetime if `undefined`. */
  readonly lifetimeSeconds: number | undefined;
  readonly isRenewable: boolean;
}

/** @returns The text of the token, which is not kept, and its record. */
async function issue(
  services: Services, { name, scope, lifetimeSeconds, isRenewable }: TokenRequest, caller: Caller,
  request: HttpRequest,
): Promise<{ readonly text: string; readonly record: Token } | Refusal<(typeof ISSUE_REFUSALS)[number]>> {
  const text = createToken();
  const nowMs = services.clock();
  const seconds = lifetimeSeconds ?? services.tokenLifetimes.defaultSeconds;
  const outcome = await services.tokens.insert(
    {
      digest: toTokenDigest(text),
      lastFour: toLastFour(text),
      owner: caller.user,
      name,
      scope,
      dateCreated: toTimestamp(nowMs),
      expiresAt: toTimestamp(nowMs + seconds * 1_000),
      renewalSeconds: isRenewable ? seconds : undefined,
    },
    auditContext(services, request, caller),
  );
  return outcome.kind === 'refused' ? refuseFailed(outcome) : { text, record: outcome.result };
}

/** Refuses a revocation, except of tokens that are already invalid: they are as good as revoked. */
function refuseRevocation(outcome: Awaited<ReturnType<TokenStore['revoke']>>) {
  if (outcome.kind === 'changed' || outcome.reason === 'noSuchToken') {
    return undefined;
  }
  return refuseFailed({ ...outcome, reason: outcome.reason });
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

/** Finds a token. Only administrators find a token of another user; for others it does not exist. */
async function findToken(
  { tokens, clock }: Services,
  id: TokenId | undefined,
  { user }: Caller,
): Promise<Token | undefined> {
  const token = id && (await tokens.find(id, toTimestamp(clock())));
  return token !== undefined && (token.userId === user.id || user.isAdmin) ? token : undefined;
}

/** Makes the tag without the last use, which changes once a minute and needs no protection by `If-Match`. */
function tagged(token: Token): Tagged {
  const record = toTokenRecord(token);
  return { json: JSON.stringify(record), tag: toEntityTag(JSON.stringify({ ...record, last_used: null })) };
}
