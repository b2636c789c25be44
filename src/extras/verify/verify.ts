/**
 * `/api/v1/verify`: before each request, a reverse proxy asks whether its client may pass (`auth_request` of
 * nginx, `forward_auth` of Caddy, `forwardAuth` of Traefik).
 *
 * The rules for scopes and for pages of other origins apply to the request that the proxy received. The
 * fields `X-Forwarded-*` describe this request, and count only from a trusted proxy. Preconditions and ranges
 * are meant for the program behind the proxy, so they are ignored.
 */
import { operation } from '../../api/operation.ts';
import { refuse, type Refusal } from '../../api/refusal.ts';
import { custom } from '../../api/replies.ts';
import type { Caller } from '../../auth/authenticate.ts';
import { isFromOtherOrigin } from '../../http/cross-origin.ts';
import { normalizeHost } from '../../http/host.ts';
import type { HttpRequest } from '../../http/message.ts';
import { idOrName } from '../../model/name.ts';
import type { Project, ProjectId } from '../../model/project.ts';
import type { Token } from '../../model/token.ts';
import type { User } from '../../model/user.ts';

/** No origin is trusted: `CORS_ORIGIN` may call this service, but perhaps no program behind the proxy. */
const NO_ORIGIN = '*';

/** RFC 9110 §9.2.1. WebDAV programs, such as calendars, have two more (RFC 4918 §9.1, RFC 3253 §3.6). */
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT']);

type Verified = User & { readonly project?: Project };

/**
 * Answers with the header fields that Authelia made usual. All fields are always present, because some
 * proxies pass on a field of the client when the response lacks it.
 */
const identity = custom(({ id, username, email, isAdmin, project }: Verified) => ({
  status: 204,
  headers: {
    'Remote-User-Id': String(id),
    'Remote-User': toFieldValue(username),
    'Remote-Email': toFieldValue(email),
    'Remote-Groups': isAdmin ? 'administrators' : '',
    ...(project && {
      'Remote-Project-Id': String(project.id), 'Remote-Project': toFieldValue(project.name),
    }),
  },
  body: '',
}));

const REFUSALS = [
  'scopeTooNarrow', 'tokenForOtherProgram', 'forwardedCrossSite', 'signInPostponed',
] as const;

const verification = {
  method: 'GET',
  access: 'authenticated',
  scopes: ['full', 'read_only', 'identity'],
  acceptsAudience: true,
  replies: identity,
} as const;

export const verifyOperations = {
  verifyRequest: operation({
    ...verification,
    path: '/api/v1/verify',
    refuses: REFUSALS,
    handle: (_, { caller, request }) => judge(caller, request) ?? caller.user,
  }),

  /** Proxies pass on the query of their clients, so the project stands in the path. */
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
      const named = idOrName<ProjectId>(path.project_name_or_id);
      const project = named && (await projects.find(named));
      return project !== undefined && (project.ownerId === user.id || user.isAdmin)
        ? { ...user, project }
        : refuse('projectOwnerOnly');
    },
  }),
};

function judge(
  caller: Caller, request: HttpRequest,
): Refusal<'scopeTooNarrow' | 'tokenForOtherProgram' | 'forwardedCrossSite'> | undefined {
  const token = caller.signIn === 'token' ? caller.token : undefined;
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

/** A token for certain programs passes only if a trusted proxy names one of these programs. */
function isForProgram({ audience }: Token, request: HttpRequest): boolean {
  const host = audience && normalizeHost(findForwarded('x-forwarded-host', request) ?? '');
  return audience === undefined || (host !== undefined && audience.includes(host));
}

/**
 * True if a page of another origin may have triggered the request, with credentials that the browser
 * remembers. This check is stricter than `http/cross-origin.ts`, because nobody here knows which bodies and
 * fields the program accepts.
 */
function mayBeCrossSite(request: HttpRequest): boolean {
  const { headers } = request;
  const host = findForwarded('x-forwarded-host', request) ?? headers.host;
  return /^basic /i.test(headers.authorization ?? '')
    && isFromOtherOrigin({ ...headers, ...(host !== undefined && { host }) }, NO_ORIGIN);
}

/** A repeated field is joined with commas, so it matches nothing. */
function findForwarded(
  name: 'x-forwarded-method' | 'x-forwarded-host', { headers, isFromTrustedProxy }: HttpRequest,
): string | undefined {
  return isFromTrustedProxy ? headers[name]?.toString() : undefined;
}

/** Node.js writes each character as one byte. Programs in Go, PHP and Python expect the bytes of UTF-8. */
function toFieldValue(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
