/** Describes problems for the API document: the schema of each type, and an example of each refusal. */
import { problemTypes, type ProblemSlug } from '../../api/problem-types.ts';
import { problemReply, type ProblemName } from '../../api/problems.ts';
import type { Schema } from '../../jsonschema/schema.ts';
import { exampleOf } from './problem-examples.ts';
import { problemTexts } from './problem-texts.ts';

type TypeUri = (slug: ProblemSlug) => string;

const REQUEST_ID = '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52';

/** The body of a problem, as the service answers it. */
export function problemExample(name: ProblemName, typeUri: TypeUri): Record<string, unknown> {
  return JSON.parse(String(problemReply(exampleOf(name), { requestId: REQUEST_ID, typeUri }).body));
}

export function problemSchema(slug: ProblemSlug, typeUri: TypeUri): Schema {
  const members = EXTRA_MEMBERS[slug] ?? {};
  const { status, title } = problemTypes[slug];
  const { meaning, remedy } = problemTexts[slug];
  return {
    type: 'object',
    description: `${meaning} ${remedy}`,
    required: ['type', 'title', 'status', 'detail', 'request_id', ...Object.keys(members)],
    properties: {
      type: {
        type: 'string', enum: [typeUri(slug)],
        description: 'A path of the service that explains the problem.',
      },
      title: { type: 'string', enum: [title] },
      status: { type: 'integer', enum: [status] },
      detail: { type: 'string', description: 'A sentence about this occurrence, for people.' },
      request_id: { type: 'string', description: 'As in `X-Request-Id`, and in the log of the service.' },
      ...members,
    },
  };
}

/** The schema of the member `errors`: a list of mistakes, each with its place in the request. */
function errors(place: 'pointer' | 'parameter', description: string): Schema['properties'] {
  return {
    errors: {
      type: 'array',
      minItems: 1,
      description: 'Every mistake in the request.',
      items: {
        type: 'object',
        required: [place, 'keyword', 'message'],
        properties: {
          [place]: { type: 'string', description },
          keyword: { type: 'string', description: 'The keyword of the schema that was violated.' },
          message: {
            type: 'string', description: 'Continues a sentence that begins with the name of the place.',
          },
        },
      },
    },
  };
}

/** The members of problems that RFC 9457 does not define. */
const EXTRA_MEMBERS: { readonly [slug in ProblemSlug]?: Schema['properties'] } = {
  'invalid-body': errors('pointer', 'JSON pointer (RFC 6901) into the body; empty for the whole.'),
  'invalid-parameter': errors('parameter', 'The name of the query parameter.'),
  'not-ready': {
    failed_checks: {
      type: 'array',
      minItems: 1,
      description: 'The reasons why the service is not ready.',
      items: { type: 'string', enum: ['database', 'cluster', 'schema', 'starting', 'upgrading', 'draining'] },
    },
  },
};
