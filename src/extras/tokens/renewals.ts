/** `/api/v1/tokens/{token_id}/renewal`: a program renews its own token, without the password. */
import { parseCredentials } from '../../auth/credentials.ts';
import { createToken, parseToken, toLastFour, toTokenDigest } from '../../auth/token.ts';
import type { Database } from '../../database/database.ts';
import type { HttpRequest } from '../../http/exchange.ts';
import { toTimestamp } from '../../model/clock.ts';
import { created } from '../../resources/answers.ts';
import { auditContext, refuseFailed } from '../../resources/changes.ts';
import { operation } from '../../resources/operation.ts';
import type { Services } from '../../resources/services.ts';
import { refuse } from '../../resources/problems.ts';
import { createdToken, toCreatedToken, tokenInPath } from './records.ts';
import { createRenewalStore } from './renewal-store.ts';

export function renewalOperations(database: Database) {
  const renewals = createRenewalStore(database);
  return {
    renewToken: operation({
      method: 'POST',
      path: '/api/v1/tokens/{token_id}/renewal',
      parameters: tokenInPath,
      access: 'authenticated',
      scopes: ['full', 'read_only', 'identity'],
      tag: 'Tokens',
      summary: 'Renew a token',
      description:
        'Replaces a token that was created with `renewable`. Only the token itself may do this. The new ' +
        'token has the same name, scope and lifetime; the old one is revoked with the tokens that it ' +
        'issued. If a token is renewed a second time, all tokens that came from it are revoked, because ' +
        'somebody may have copied it. After a lost response, create a new token with the password.',
      answers: created(createdToken, 'The new token, which is shown only now.', '/api/v1/tokens/8'),
      refuses: ['unauthenticated', 'noSuchToken', 'tokenNotRenewable', 'tooManyConflicts'],
      onRejected: endFamily,
      async handle(services, { path, caller, request }) {
        if (caller.signIn === 'password' || caller.token.renewalSeconds === undefined) {
          return refuse('tokenNotRenewable');
        }
        if (path.token_id !== caller.token.id) {
          return refuse('noSuchToken');
        }
        const text = createToken();
        const origin = auditContext(services, request, caller);
        const outcome = await renewals.renew(caller.token, {
          digest: toTokenDigest(text),
          lastFour: toLastFour(text),
          expiresAt: toTimestamp(Date.parse(origin.at) + caller.token.renewalSeconds * 1_000),
        }, origin);
        if (outcome.kind === 'refused') {
          if (outcome.reason === 'unauthenticated') { // renewed by another request since the sign-in
            await endFamily(services, request.headers.authorization, request);
          }
          return refuseFailed(outcome);
        }
        return toCreatedToken(text, outcome.result);
      },
    }),
  };

  /** Looks for the token with a cheap read first, because an unknown token must cost a cluster little. */
  async function endFamily(
    services: Services, authorization: string | undefined, request: Pick<HttpRequest, 'id' | 'address'>,
  ): Promise<void> {
    const credentials = parseCredentials(authorization);
    const digest = credentials.kind === 'token' ? parseToken(credentials.token) : undefined;
    if (digest !== undefined && (await services.tokens.exists(digest))) {
      await renewals.endFamily(digest, auditContext(services, request, undefined));
    }
  }
}
