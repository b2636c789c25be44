/** The sentences about operations for programs, administrators and operators. */
import { preflightHeaders } from '../../../http/cross-origin.ts';
import { text } from '../../../jsonschema/typed.ts';
import type { greetingOperations } from '../../../resources/greeting.ts';
import type { staticOperations } from '../../../resources/static.ts';
import type { auditOperations } from '../../audit/audit.ts';
import type { metricsOperations } from '../../metrics/metrics.ts';
import type { probeOperations } from '../../probes/probes.ts';
import type { introspectOperations } from '../../verify/introspect.ts';
import type { verifyOperations } from '../../verify/verify.ts';
import type { documentOperations } from '../document.ts';
import { PAGE_HEADERS } from '../headers.ts';
import { auditEvent, introspection } from '../records.ts';
import { pagingTexts, SORT, type ContentText, type ResponseText, type TextsOf } from '../text.ts';
import { projectInPathTexts } from './projects.ts';

const BYTES: ContentText = { schema: 'binary' };

/** @param content - The content of a whole file. */
function fileResponses(
  content: NonNullable<ResponseText['content']>, pageHeaders: readonly string[] = [],
): readonly ResponseText[] {
  const headers = ['ETag', 'Vary', ...pageHeaders];
  return [
    {
      status: 200, description: 'The file.', headers: [...headers, 'Accept-Ranges', 'Content-Encoding'],
      content,
    },
    {
      status: 206,
      description: 'The part that `Range` asks for, of the file without a content coding.',
      headers: [...headers, 'Accept-Ranges', 'Content-Range'],
      content: { '*/*': BYTES },
    },
    { status: 304, description: 'The client already has this state; no content.', headers },
  ];
}

const GREET = {
  tag: 'Service',
  summary: 'Get a greeting',
  description: 'Confirms that the service runs.',
  reply: {
    description: 'The service runs.',
    headers: ['Vary', 'Refresh'],
    headerExamples: { 'Link': '</static/>; rel="alternate"; type="text/html"' },
  },
} as const;

const GREET_WITH_OPTIONS = {
  tag: 'Service',
  summary: 'Get a greeting and answer a preflight',
  description: 'Confirms that the service runs.',
  reply: { description: 'The service runs.', headers: Object.keys(preflightHeaders([], {})) },
} as const;

const IDENTITY = ['Remote-User-Id', 'Remote-User', 'Remote-Email', 'Remote-Groups'];

const METRICS =
  '# HELP http_server_active_requests Requests without a response yet.\n' +
  '# TYPE http_server_active_requests gauge\nhttp_server_active_requests 1\n';

export const otherTexts: TextsOf<
  typeof verifyOperations & typeof introspectOperations & ReturnType<typeof auditOperations>
  & ReturnType<typeof greetingOperations> & typeof staticOperations & ReturnType<typeof probeOperations>
  & ReturnType<typeof metricsOperations> & typeof documentOperations
> = {
  verifyRequest: {
    tag: 'Programs',
    summary: 'Verify a request for a proxy',
    description:
      'A reverse proxy asks with the credentials of its client before each request, and passes the fields ' +
      '`Remote-*` on to the program. `X-Forwarded-Method` and `X-Forwarded-Host`, from a proxy in ' +
      '`TRUST_PROXY`, describe the request of the client: a `read_only` token passes with GET, HEAD, ' +
      'OPTIONS, PROPFIND and REPORT only, a token with an `audience` only for one of its hosts, and a ' +
      'change from a page of another origin does not pass with Basic credentials.',
    responses: [{ status: 204, description: 'The client may pass.', headers: IDENTITY }],
  },
  verifyProject: {
    tag: 'Programs',
    summary: 'Verify that a client owns a project',
    description:
      'As without a project, but only the owner of the project and administrators pass. An unknown or ' +
      'hidden project is 403, too. The query is ignored.',
    path: projectInPathTexts,
    responses: [{
      status: 204,
      description: 'The client may pass.',
      headers: [...IDENTITY, 'Remote-Project-Id', 'Remote-Project'],
    }],
  },
  introspectToken: {
    tag: 'Programs',
    summary: 'Introspect a token',
    description:
      'Token introspection (RFC 7662). `active` is `false` for a token that is unknown, expired or ' +
      'revoked, and for one whose owner is disabled. Sign in with a token of the program. Do not cache the ' +
      'response, so that revocation takes effect at once.',
    body: {
      name: 'TokenToIntrospect',
      members: {
        token: {
          description: 'The token to introspect.',
          example: 'rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw',
        },
        token_type_hint: { description: 'Ignored: there is one type of tokens.' },
      },
    },
    responses: [{
      status: 200,
      description: 'The token and its owner; for an invalid token only `active`, which is `false`.',
      content: { 'application/json': { schema: introspection } },
    }],
  },

  listAuditEvents: {
    tag: 'Audit trail',
    summary: 'List audit events',
    description:
      'The changes of the service, by id unless `sort` says otherwise. Each event is stored together ' +
      'with its change, in a table that refuses updates and deletions. Failed sign-ins are counted for ' +
      'each user and address, and recorded once a minute.',
    query: {
      action: { description: 'Only events of this kind.', example: 'project.create' },
      username: {
        description: 'Only changes by or to the user who has this name now. Case is ignored.',
        example: 'ada',
      },
      user_id: {
        description: 'Only changes by or to this user, under any name, also after a deletion.', example: 2,
      },
      since: {
        description: 'Only events from this moment on (RFC 3339, any offset).',
        example: '2026-01-31T00:00:00Z',
      },
      sort: SORT,
      ...pagingTexts,
    },
    item: auditEvent,
  },

  greet: GREET,
  greetWithOptions: GREET_WITH_OPTIONS,
  greetAtIndex: GREET,
  greetAtIndexWithOptions: GREET_WITH_OPTIONS,
  readStaticFile: {
    tag: 'Service',
    summary: 'Get a static file',
    description:
      'The console, the reference, the page of problems, and the other files that the static folder had at ' +
      'start-up. A path that ends in `/` serves the `index.html` below it. Case matters.',
    path: {
      filename: {
        description:
          'The path of a file in the static folder, with `/` between its parts. If a client ' +
          'that is generated from this document encodes `/`, no file is found.',
        example: 'index.html',
      },
    },
    responses: [
      ...fileResponses({
        // Every JSON file that the service serves is an object.
        'application/json': { schema: { json: { type: 'object' } }, example: { openapi: '3.0.4' } },
        '*/*': BYTES,
      }, PAGE_HEADERS),
      {
        status: 302,
        description:
          'To the same path with a slash, where that has a page. For browsers: clients whose `Accept` is ' +
          '`text/html`, or begins with `text/html,application/xhtml+xml`. Others get 404.',
        headers: ['Vary'],
        headerExamples: { 'Location': '/static/console/' },
      },
    ],
  },
  readApiDescription: {
    tag: 'Service',
    summary: 'Get this document',
    description:
      'Generated at start-up from the operations themselves. `/static/openapi.json` has the same bytes.',
    responses: fileResponses({
      'application/json': {
        schema: { json: { type: 'object' } },
        example: { openapi: '3.0.4', info: { title: 'Rollcall', version: '1.0.0' }, paths: {} },
      },
    }),
  },
  reportLiveness: {
    tag: 'Service',
    summary: 'Check that the process responds',
    description:
      'Depends on nothing else, so that no outage elsewhere makes an orchestrator restart the process.',
    reply: { description: 'The process responds.' },
  },
  reportReadiness: {
    tag: 'Service',
    summary: 'Check that the service can take requests',
    description: 'For load balancers. The database is queried once a second, for any number of requests.',
    reply: { description: 'The service is ready.' },
  },
  reportMetrics: {
    tag: 'Service',
    summary: 'Get metrics for Prometheus',
    description: 'In the text format 0.0.4.',
    responses: [{
      status: 200,
      description: 'The metrics.',
      content: { 'text/plain': { schema: text({ example: METRICS }) } },
    }],
  },
};
