/** Problems in the document: which of them an operation may answer, and what each looks like. */
import { toProblemReply, type HttpProblem, type ProblemType } from '../http/problem.ts';
import type { Complaint } from '../jsonschema/check.ts';
import type { Schema } from '../jsonschema/schema.ts';
import { problemExplanations } from '../problem-explanations.ts';
import { problems, problemTypes } from '../problems.ts';
import type { Route } from '../routes.ts';
import { compileSchema } from '../jsonschema/compile.ts';
import type { OperationDescription, Parameter } from './description.ts';

export interface ProblemLimits {
  readonly bodyBytesMax: number;
  readonly targetBytesMax: number;
}

const REQUEST_ID = '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52';

/** @returns One occurrence of each problem that the operation may answer. */
export function listProblems(route: Route, description: OperationDescription, limits: ProblemLimits): readonly HttpProblem[] {
  return [
    problems.malformedRequest('its target is not a path in percent-encoded UTF-8'),
    problems.requestTimeout(),
    problems.bodyTooLarge(limits.bodyBytesMax),
    problems.targetTooLong(limits.targetBytesMax),
    problems.expectationFailed(),
    problems.headersTooLarge(),
    problems.internalError(),
    ...listParameterProblems(description.parameters ?? []),
    ...listBodyProblems(route, description),
    ...listAccessProblems(route),
    ...(description.problems ?? []),
  ];
}

function listParameterProblems(parameters: readonly Parameter[]): readonly HttpProblem[] {
  const queries = parameters.filter((parameter) => parameter.in === 'query');
  const strictest =
    queries.findLast(({ schema }) => schema.type === 'integer') ??
    queries.find(({ schema }) => schema.enum !== undefined) ??
    queries[0];
  return [
    ...(strictest === undefined ? [] : [problems.invalidParameter(strictest.name, toExpectation(strictest.schema))]),
    ...(parameters.some(({ name }) => name === 'If-Match') ? [problems.preconditionFailed()] : []),
  ];
}

/** As `handlers/parameters.ts` words it. */
function toExpectation({ type, minimum, maximum, enum: words }: Schema): string {
  if (type === 'integer') {
    return `an integer from ${minimum} to ${maximum}`;
  }
  return words === undefined ? 'it once at most' : `one of ${words.join(', ')}`;
}

function listBodyProblems({ body }: Route, description: OperationDescription): readonly HttpProblem[] {
  if (body === undefined) {
    return [];
  }
  const complaints: readonly Complaint[] = compileSchema(body.schema)(description.body?.refused);
  return [
    problems.malformedBody('it is not well-formed JSON'),
    problems.unsupportedMediaType('The body must be declared as application/json'),
    ...(complaints.length > 0 ? [problems.invalidBody(complaints)] : []),
  ];
}

function listAccessProblems({ access, method }: Route): readonly HttpProblem[] {
  if (access === 'public') {
    return [];
  }
  return [
    problems.unauthenticated(),
    problems.tooManyAttempts(300),
    problems.busy(6),
    problems.databaseUnavailable(),
    ...(method === 'GET' ? [] : [problems.forbidden('A token that may only read cannot do this'), problems.storageFull()]),
    ...(access === 'administrator' ? [problems.forbidden('Only an administrator may do this')] : []),
  ];
}

/** The body of a problem, as it is answered. */
export function toProblemExample(problem: HttpProblem, toTypeUri: (type: ProblemType) => string): unknown {
  return JSON.parse(String(toProblemReply(problem, { requestId: REQUEST_ID, toTypeUri }).body));
}

/** The name of a problem's schema in the document. */
export function toProblemSchemaName({ slug }: ProblemType): string {
  return `problem-${slug}`;
}

export function toProblemSchema(problemType: ProblemType, toTypeUri: (type: ProblemType) => string): Schema {
  const { slug, status, title } = problemType;
  const members = EXTRA_MEMBERS[slug] ?? {};
  return {
    type: 'object',
    description: explanations.get(slug) ?? title,
    required: ['type', 'title', 'status', 'detail', 'request_id', ...Object.keys(members)],
    properties: {
      type: { type: 'string', enum: [toTypeUri(problemType)], description: 'A path of the service that explains the problem.' },
      title: { type: 'string', enum: [title] },
      status: { type: 'integer', enum: [status] },
      detail: { type: 'string', description: 'A sentence about this occurrence, for people.' },
      request_id: { type: 'string', description: 'As in `X-Request-Id`, and in the log of the service.' },
      ...members,
    },
  };
}

const explanations = new Map(
  Object.values(problemExplanations).map(({ example, meaning, remedy }) => [example.type.slug, `${meaning} ${remedy}`]),
);

/** Members beyond those of RFC 9457, by slug. */
const EXTRA_MEMBERS: Readonly<Record<string, Schema['properties']>> = {
  [problemTypes.invalidBody.slug]: {
    errors: {
      type: 'array',
      minItems: 1,
      description: 'Everything that is wrong with the body.',
      items: {
        type: 'object',
        required: ['pointer', 'keyword', 'message'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer (RFC 6901) into the body; empty for the whole.' },
          keyword: { type: 'string', description: 'The keyword of the schema that was violated.' },
          message: { type: 'string', description: 'Completes a sentence that begins with the member.' },
        },
      },
    },
  },
  [problemTypes.notReady.slug]: {
    failed_checks: {
      type: 'array',
      minItems: 1,
      description: 'What keeps the service from its work.',
      items: { type: 'string', enum: ['database', 'cluster', 'schema', 'draining'] },
    },
  },
};
