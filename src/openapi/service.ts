/** The service itself: greeting, probes, metrics, this document and static files. */
import type { Schema } from '../jsonschema/schema.ts';
import { problems } from '../problems.ts';
import { jsonContent, type Answer, type Content, type OperationDescription } from './description.ts';
import { PREFLIGHT_HEADERS, type HeaderName } from './headers.ts';
import { FILE_FIELDS } from './parameters.ts';

const greetingSchema: Schema = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } };

const greeting: OperationDescription = {
  tag: 'Service',
  description: 'A greeting, without a look at the database.',
  answers: [
    { status: 200, description: 'The service runs.', content: jsonContent(greetingSchema, { message: 'Rollcall is running' }) },
  ],
};

const greetingWithOptions: OperationDescription = {
  ...greeting,
  description: 'The same greeting, together with the answer to a preflight of a browser.',
  answers: greeting.answers.map((answer) => ({ ...answer, headers: PREFLIGHT_HEADERS })),
};

function toStatusSchema(status: string): Schema {
  return { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: [status] } } };
}

const PAGE_HEADERS: readonly HeaderName[] = ['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Referrer-Policy'];

const BYTES: Content = { mediaType: '*/*', schema: 'binary', examples: {} };

const DOCUMENT = jsonContent(
  { type: 'object' },
  { openapi: '3.0.4', info: { title: 'Rollcall', version: '1.0.0' }, paths: {} },
  'How openapi.json begins',
);

/**
 * @param content - Of the whole file.
 * @param pageHeaders - Those of files that browsers open as pages.
 */
function toFileAnswers(content: Content | readonly Content[], pageHeaders: readonly HeaderName[] = []): readonly Answer[] {
  const headers: readonly HeaderName[] = ['ETag', 'Vary', ...pageHeaders];
  return [
    { status: 200, description: 'The file.', headers: [...headers, 'Accept-Ranges', 'Content-Encoding'], content },
    {
      status: 206,
      description: 'The part that `Range` asks for, of the file without a coding.',
      headers: [...headers, 'Accept-Ranges', 'Content-Range'],
      content: BYTES,
    },
    { status: 304, description: 'The client has the file as it is; no content.', headers },
  ];
}

export const serviceOperations = {
  greet: greeting,
  greetAtIndex: greeting,
  greetWithOptions: greetingWithOptions,
  greetAtIndexWithOptions: greetingWithOptions,
  reportLiveness: {
    tag: 'Service',
    description: 'Nothing else is asked, so that no outage elsewhere makes an orchestrator restart the process.',
    answers: [
      { status: 200, description: 'The process answers.', content: jsonContent(toStatusSchema('live'), { status: 'live' }) },
    ],
  },
  reportReadiness: {
    tag: 'Service',
    description:
      'For load balancers: whether requests should be sent here. However many ask, the database is asked once a second.',
    answers: [
      { status: 200, description: 'The service is ready.', content: jsonContent(toStatusSchema('ready'), { status: 'ready' }) },
    ],
    problems: [problems.notReady(['database'])],
  },
  reportMetrics: {
    tag: 'Service',
    description:
      'In the text format of Prometheus, 0.0.4. It is 404 unless the setting `METRICS` is `on`, and 401 without the ' +
      'token where `METRICS_TOKEN` is set.',
    answers: [
      {
        status: 200,
        description: 'The metrics of all processes of the service.',
        content: {
          mediaType: 'text/plain',
          schema: { type: 'string' },
          examples: {
            excerpt: {
              summary: 'One of many',
              value:
                '# HELP http_server_active_requests Requests that are not answered yet.\n# TYPE ' +
                'http_server_active_requests gauge\nhttp_server_active_requests 1\n',
            },
          },
        },
      },
    ],
    problems: [problems.notFound('resource'), problems.unauthenticated()],
    security: [{}, { bearer: [] }],
  },
  readApiDescription: {
    tag: 'Service',
    description: 'This document, made at start-up from what the service does. `/static/openapi.json` has the same bytes.',
    parameters: FILE_FIELDS,
    answers: toFileAnswers(DOCUMENT),
    problems: [problems.rangeNotSatisfiable(2048)],
  },
  readStaticFile: {
    tag: 'Service',
    description:
      'The console, the reference, the pages that explain problems, and whatever else the static folder had at ' +
      'start-up. A path that ends in `/` is that of the `index.html` below it. Names are exact, case included.',
    parameters: FILE_FIELDS,
    answers: toFileAnswers([DOCUMENT, BYTES], PAGE_HEADERS),
    problems: [problems.notFound('file'), problems.rangeNotSatisfiable(2048)],
  },
} as const satisfies Readonly<Record<string, OperationDescription>>;
