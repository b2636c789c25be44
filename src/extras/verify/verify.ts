/**
 * `/api/v1/verify`: a reverse proxy asks before each request whether its client may pass, and tells the
 * program behind it who the user is (`auth_request` of nginx, `forward_auth` of Caddy, `forwardAuth` of
 * Traefik).
 *
 * The rules for scopes and for pages of other origins apply to the request that the proxy received. The
 * fields `X-Forwarded-*` describe it, and count only from a trusted proxy. Preconditions and ranges belong to
 * the program and are ignored. The response has no content, and costs no query besides that of the sign-in.
 */
import type { Answers } from '../../api/answers.ts';
import { operation } from '../../api/operation.ts';
import { refuse, type Refusal } from '../../api/problems.ts';
import type { Caller } from '../../auth/authenticate.ts';
import { isFromOtherOrigin, SAFE_METHODS } from '../../http/cross-origin.ts';
import type { HttpRequest } from '../../http/message.ts';
import type { User } from '../../model/user.ts';

/** No origin is trusted: `CORS_ORIGIN` may call this service, which says nothing about other programs. */
const NO_ORIGIN = '*';

/**
 * Answers with the header fields that Authelia made usual. All are always present: some proxies pass on the
 * field of the client when the response lacks it.
 */
const identity: Answers<User> = {
  responses: [{
    status: 204,
    description: 'The client may pass.',
    headers: ['Remote-User-Id', 'Remote-User', 'Remote-Email', 'Remote-Groups'],
  }],
  reply: ({ id, username, email, isAdmin }) => ({
    status: 204,
    headers: {
      'Remote-User-Id': String(id),
      'Remote-User': toFieldValue(username),
      'Remote-Email': toFieldValue(email),
      'Remote-Groups': isAdmin ? 'administrators' : '',
    },
    body: '',
  }),
};

export const verifyOperations = {
  verifyRequest: operation({
    method: 'GET',
    path: '/api/v1/verify',
    access: 'authenticated',
    scopes: ['full', 'read_only', 'identity'],
    isForProxies: true,
    tag: 'Programs',
    summary: 'Verify a request for a proxy',
    description:
      'A reverse proxy asks with the credentials of its client before each request, and passes the fields ' +
      '`Remote-*` on to the program. `X-Forwarded-Method` and `X-Forwarded-Host`, from a proxy in ' +
      '`TRUST_PROXY`, describe the request of the client: a `read_only` token passes with GET, HEAD and ' +
      'OPTIONS only, and a change from a page of another origin does not pass with Basic credentials.',
    answers: identity,
    refuses: ['scopeTooNarrow', 'forwardedCrossSite'],
    handle(_, { caller, request }) {
      const isSafe = SAFE_METHODS.has(findForwarded('x-forwarded-method', request) ?? '');
      if (!isSafe && mayBeForged(request)) {
        return refuse('forwardedCrossSite');
      }
      return (isSafe ? undefined : refuseReadOnly(caller)) ?? caller.user;
    },
  }),
};

function refuseReadOnly(caller: Caller): Refusal<'scopeTooNarrow'> | undefined {
  return caller.signIn === 'token' && caller.token.scope === 'read_only'
    ? refuse('scopeTooNarrow', caller.token.scope)
    : undefined;
}

/**
 * True if a page of another origin may have triggered the request, and the browser attached remembered
 * credentials. Stricter than `http/cross-origin.ts`, because nobody here knows which bodies and fields the
 * program accepts.
 */
function mayBeForged(request: HttpRequest): boolean {
  const { headers } = request;
  const host = findForwarded('x-forwarded-host', request) ?? headers.host;
  return /^basic /i.test(headers.authorization ?? '')
    && isFromOtherOrigin({ ...headers, ...(host !== undefined && { host }) }, NO_ORIGIN);
}

/** Finds what a trusted proxy says. A field that occurs twice is a list with a comma, and matches nothing. */
function findForwarded(
  name: 'x-forwarded-method' | 'x-forwarded-host', { headers, isFromTrustedProxy }: HttpRequest,
): string | undefined {
  return isFromTrustedProxy ? headers[name]?.toString() : undefined;
}

/** Node.js writes each character as one byte. Programs in Go, PHP and Python expect the bytes of UTF-8. */
function toFieldValue(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
