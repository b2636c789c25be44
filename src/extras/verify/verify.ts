/**
 * `/api/v1/verify` tells a reverse proxy whether to pass on the request of a client. Proxies have a setting
 * for this path: `auth_request` (nginx), `forward_auth` (Caddy) or `forwardAuth` (Traefik).
 *
 * The service checks whether the scope of the token and the origin of the sending page allow the request that
 * the proxy received. Trusted proxies describe this request in `X-Forwarded-*`. If the sender is not a
 * trusted proxy, the service ignores `X-Forwarded-*`. For every sender, the service ignores fields such as
 * `If-Match` and `Range`, which are meant for the program behind the proxy.
 */
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/problems.ts';
import type { Caller } from '../../auth/authenticate.ts';
import { isFromOtherOrigin } from '../../http/cross-origin.ts';
import type { HttpRequest, Reply } from '../../http/message.ts';
import { normalizeHost } from '../../model/audience.ts';
import { idOrName } from '../../model/name.ts';
import type { Token } from '../../model/token.ts';
import type { User } from '../../model/user.ts';

/** `CORS_ORIGIN` applies only to Rollcall. Behind the proxy, only the program's own origin is trusted. */
const NO_ORIGIN = '*';

/** Methods that only read: three of HTTP (RFC 9110 §9.2.1), two of WebDAV (RFC 4918 §9.1, RFC 3253 §3.6). */
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT']);

/**
 * Like Authelia, the service sends fields such as `Remote-User`, because many programs expect these fields.
 * Even empty fields are sent, because some proxies replace a missing field with the field that the client
 * sent.
 */
function identify(
  { id, username, email, isAdmin }: User, project?: { readonly id: number; readonly name: string },
): Reply {
  const headers = {
    'Remote-User-Id': String(id),
    'Remote-User': toFieldValue(username),
    'Remote-Email': toFieldValue(email),
    'Remote-Groups': isAdmin ? 'administrators' : '',
    ...(project && {
      'Remote-Project-Id': String(project.id), 'Remote-Project': toFieldValue(project.name),
    }),
  };
  return { status: 204, headers, body: '' };
}

const REFUSALS = ['scopeTooNarrow', 'tokenForOtherProgram', 'forwardedCrossSite', 'signInPostponed'] as const;

const verification = {
  method: 'GET',
  access: 'authenticated',
  scopes: ['full', 'read_only', 'identity'],
  acceptsAudience: true,
} as const;

export const verifyOperations = {
  verifyRequest: operation({
    ...verification,
    path: '/api/v1/verify',
    refuses: REFUSALS,
    handle: async (_, { caller, request }) => judge(caller, request) ?? identify(caller.user),
  }),

  /** The project is in the path, not the query, because proxies copy the client's query into this request. */
  verifyProject: operation({
    ...verification,
    path: '/api/v1/verify/{project_name_or_id}',
    refuses: [...REFUSALS, 'projectOwnerOnly'],
    async handle({ projects }, { path, caller, request }) {
      const refusal = judge(caller, request);
      if (refusal !== undefined) {
        return refusal;
      }
      const { user } = caller;
      const project = await projects.find(idOrName(path.project_name_or_id));
      return project !== undefined && (project.ownerId === user.id || user.isAdmin)
        ? identify(user, project)
        : refuse('projectOwnerOnly');
    },
  }),
};

function judge({ token }: Caller, request: HttpRequest) {
  if (token !== undefined && !isForProgram(token, request)) {
    return refuse('tokenForOtherProgram');
  }
  if (READING_METHODS.has(findForwarded('x-forwarded-method', request) ?? '')) {
    return undefined;
  }
  if (mayBeCrossSite(request)) {
    return refuse('forwardedCrossSite');
  }
  return token?.scope === 'read_only' ? refuse('scopeTooNarrow', token.scope) : undefined;
}

/** If a token has an audience (a list of hosts), a trusted proxy must name one of these hosts. */
function isForProgram({ audience }: Token, request: HttpRequest): boolean {
  const host = audience && normalizeHost(findForwarded('x-forwarded-host', request) ?? '');
  return audience === undefined || (host !== undefined && audience.includes(host));
}

/**
 * True if the request has Basic credentials, and can come from a page of another origin. A browser can add
 * Basic credentials by itself. Some programs behind proxies accept bodies and header fields that Rollcall
 * refuses. So this check is stricter than `mayBeForged` in `http/cross-origin.ts`.
 */
function mayBeCrossSite(request: HttpRequest): boolean {
  const { headers } = request;
  const host = findForwarded('x-forwarded-host', request) ?? headers.host;
  return /^basic /i.test(headers.authorization ?? '')
    && isFromOtherOrigin({ ...headers, ...(host !== undefined && { host }) }, NO_ORIGIN);
}

/** If a field is repeated, Node.js joins the values with commas, so the result is no valid method or host. */
function findForwarded(
  name: 'x-forwarded-method' | 'x-forwarded-host', { headers, isFromTrustedProxy }: HttpRequest,
): string | undefined {
  return isFromTrustedProxy ? headers[name]?.toString() : undefined;
}

/**
 * Programs in Go, PHP and Python expect UTF-8 in header fields, but Node.js writes each character as one
 * byte. So this function makes one character from each byte of the UTF-8 text.
 */
function toFieldValue(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
