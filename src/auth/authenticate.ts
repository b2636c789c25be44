/** Decides who is calling. Wrong credentials always have the outcome `rejected`, which reveals no reason. */
import { toTimestamp, type Clock } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import { parseToken, type Token } from '../model/token.ts';
import type { User, UserId } from '../model/user.ts';
import type { TokenStore } from '../stores/tokens.ts';
import type { Client } from './client.ts';
import { parseCredentials } from './credentials.ts';
import type { CheckPassword, SignIn } from './password-check.ts';

export interface Caller {
  readonly user: User;
  /** The only user whom the caller may see; `undefined` if the caller may see all users. */
  readonly visibleUserId: UserId | undefined;
  readonly signIn: 'password' | 'token';
  readonly token?: Token | undefined;
  readonly passwordVersion?: number | undefined;
}

interface AuthenticatorParts {
  readonly tokens: Pick<TokenStore, 'findLive' | 'recordUse'>;
  readonly checkPassword: CheckPassword;
  readonly clock: Clock;
  readonly directory: 'open' | 'closed';
  readonly onUseUnrecorded: (error: unknown) => void;
}

export type Authenticate = (authorization: string | undefined, client: Client) => Promise<SignIn<Caller>>;

export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const { tokens, checkPassword, clock, directory } = parts;
  const noteUse = createUseNotes(parts);

  return async (authorization, client) => {
    const credentials = parseCredentials(authorization);
    if (credentials.kind === 'password') {
      const outcome = await checkPassword(toNameKey(credentials.username), credentials.password, client);
      return outcome.kind === 'done' ? accept(outcome.result) : outcome;
    }
    const { token, username } = credentials;
    const digest = parseToken(token);
    const found = digest && (await tokens.findLive(digest, clock()));
    return found === undefined || (username !== undefined && !isNameOf(username, found))
      ? { kind: 'rejected' }
      : accept({ user: found.user, token: noteUse(found.token) });
  };

  function accept({ user, token, passwordVersion }: Pick<Caller, 'user' | 'token' | 'passwordVersion'>) {
    const visibleUserId = directory === 'closed' && !user.isAdmin ? user.id : undefined;
    const signIn = token === undefined ? 'password' : 'token';
    return { kind: 'done', result: { user, visibleUserId, signIn, token, passwordVersion } } as const;
  }
}

/** Some client programs show the username that they send with a token, so a wrong username is refused. */
function isNameOf(name: string, { user, token }: { readonly user: User; readonly token: Token }): boolean {
  return name === String(token.id) || toNameKey(name) === toNameKey(user.username);
}

/**
 * Records the last use of a token at most once a minute, to write less often to the database. Requests do not
 * wait until a use is recorded, so tokens work even if the disk is full. At most 100 of these writes run at
 * the same time. For ten seconds after a failed write, no use of a token is recorded.
 */
function createUseNotes({ tokens, onUseUnrecorded, clock }: AuthenticatorParts): (token: Token) => Token {
  let writes = 0;
  let resumesAtMs = 0;
  return (token) => {
    const nowMs = clock();
    const sinceMs = nowMs - 60_000;
    if (token.lastUsed !== undefined && Date.parse(token.lastUsed) > sinceMs) {
      return token;
    }
    const lastUsed = toTimestamp(nowMs);
    if (writes < 100 && performance.now() >= resumesAtMs) {
      writes += 1;
      const write = tokens.recordUse(token.id, { at: lastUsed, unlessSince: toTimestamp(sinceMs) });
      void write.catch(pause).finally(() => (writes -= 1));
    }
    return { ...token, lastUsed };
  };

  function pause(error: unknown): void {
    if (performance.now() >= resumesAtMs) {
      onUseUnrecorded(error); // reports at most one failure in ten seconds
    }
    resumesAtMs = performance.now() + 10_000;
  }
}
