/** One operation of the document, from its route and its description. */
import type { HttpProblem, ProblemType } from '../http/problem.ts';
import type { Route } from '../routes.ts';
import type { Components } from './components.ts';
import type { Answer, Content, Example, OperationDescription } from './description.ts';
import { toHeaderName, toHeaderObject, type HeaderName } from './headers.ts';
import { pathParameters } from './parameters.ts';
import { listProblems, toProblemExample, toProblemSchema, toProblemSchemaName, type ProblemLimits } from './problems.ts';
import type { JsonObject } from './schemas.ts';

export interface OperationContext {
  readonly components: Components;
  /** On every answer. */
  readonly commonHeaders: readonly HeaderName[];
  readonly toTypeUri: (type: ProblemType) => string;
  /** Such as `/rollcall`; empty for none. */
  readonly basePath: string;
  readonly limits: ProblemLimits;
}

const SIGNED_IN = [{ basic: [] }, { bearer: [] }];

/** @returns The Operation Object. */
export function toOperation(route: Route, description: OperationDescription, context: OperationContext): JsonObject {
  const { components } = context;
  const parameters = [...findPathParameters(route), ...(description.parameters ?? [])];
  const { body } = description;
  return {
    operationId: route.operationId,
    tags: [description.tag],
    summary: route.summary,
    description: description.description,
    security: description.security ?? (route.access === 'public' ? [] : SIGNED_IN),
    ...(parameters.length > 0 && { parameters: parameters.map(components.parameter) }),
    ...(body !== undefined &&
      route.body !== undefined && {
        requestBody: {
          required: route.body.presence === 'required',
          content: { 'application/json': { schema: components.name(body.name, route.body.schema), examples: body.examples } },
        },
      }),
    responses: {
      ...toAnswers(description.answers, context),
      ...toProblems(listProblems(route, description, context.limits), context),
    },
  };
}

function findPathParameters({ path }: Route) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter = pathParameters[name];
    if (parameter === undefined) {
      throw new Error(`The parameter ${name} of ${path} is not described`);
    }
    return parameter;
  });
}

function toAnswers(answers: readonly Answer[], { components, commonHeaders, basePath }: OperationContext): JsonObject {
  return Object.fromEntries(
    answers.map(({ status, description, headers = [], headerExamples = {}, content }) => [
      String(status),
      {
        description,
        headers: { ...components.headers([...commonHeaders, ...headers]), ...toOwnHeaders(headerExamples, basePath) },
        ...(content !== undefined && { content: toContents([content].flat(), components) }),
      },
    ]),
  );
}

function toContents(contents: readonly Content[], components: Components): JsonObject {
  return Object.fromEntries(
    contents.map(({ mediaType, schema, examples }) => [
      mediaType,
      {
        schema: schema === 'binary' ? { type: 'string', format: 'binary' } : components.schema(schema),
        ...(Object.keys(examples).length > 0 && { examples }),
      },
    ]),
  );
}

function toOwnHeaders(examples: Partial<Record<HeaderName, string>>, basePath: string): JsonObject {
  const entries = Object.entries(examples).map(([name, example]) => [
    name,
    { ...toHeaderObject(toHeaderName(name)), example: example.replaceAll('/api/', `${basePath}/api/`) },
  ]);
  return Object.fromEntries(entries);
}

/** Problems of one status are one response: the problem's `type` tells which of them it is. */
function toProblems(problems: readonly HttpProblem[], context: OperationContext): JsonObject {
  const byStatus = Map.groupBy(problems, ({ type }) => type.status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [String(status), toProblemResponse(group, context)]));
}

function toProblemResponse(
  group: readonly HttpProblem[],
  { components, commonHeaders, toTypeUri }: OperationContext,
): JsonObject {
  const types = [...new Set(group.map(({ type }) => type))];
  const schemas = types.map((type) => components.name(toProblemSchemaName(type), toProblemSchema(type, toTypeUri)));
  const headers = new Set(group.flatMap((problem) => Object.keys(problem.headers).map(toHeaderName)));
  return components.response(types.map(({ slug }) => slug).join('.'), {
    description: `${types.map(({ title }) => title).join('; or: ')}.`,
    headers: components.headers([...commonHeaders, ...headers]),
    content: {
      'application/problem+json': {
        schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
        examples: toExamples(group, toTypeUri),
      },
    },
  });
}

function toExamples(group: readonly HttpProblem[], toTypeUri: (type: ProblemType) => string): Readonly<Record<string, Example>> {
  const examples: Record<string, Example> = {};
  for (const problem of group) {
    const { slug, title } = problem.type;
    const value = toProblemExample(problem, toTypeUri);
    const isNew = Object.values(examples).every((example) => JSON.stringify(example.value) !== JSON.stringify(value));
    if (isNew) {
      examples[slug in examples ? `${slug}-${Object.keys(examples).length + 1}` : slug] = { summary: title, value };
    }
  }
  return examples;
}
