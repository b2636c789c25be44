/** Converts the OpenAPI 3.0 document to the data that the pages show. */

import { describeCallers } from './callers.js';

export const DOCUMENT_URL = new URL('../openapi.json', import.meta.url);

export async function loadDescription() {
  const answer = await fetch(DOCUMENT_URL, { credentials: 'omit' });
  if (!answer.ok) {
    throw new Error(`The service responded with ${answer.status} ${answer.statusText}.`);
  }
  return toDescription(await answer.json());
}

/** @param {any} source - The OpenAPI document. */
export function toDescription(source) {
  const { info, servers, tags, paths } = resolve(source, source);
  const described = Object.entries(paths).flatMap(([path, methods]) => (
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path }))
  ));
  const everyScope = [...new Set(described.flatMap((operation) => operation['x-scopes'] ?? []))];
  const operations = described.map((operation) => toOperation(operation, everyScope));
  const [introduction, ...rules] = info.description.split(/\n## /);
  return {
    title: info.title,
    version: info.version,
    introduction,
    rules: rules.map((rule) => {
      const [title, ...lines] = rule.split('\n');
      return { title, text: lines.join('\n') };
    }),
    /** This URL ends in a slash, because the paths of operations are appended to the URL. */
    base: new URL(servers[0].url.replace(/\/?$/, '/'), DOCUMENT_URL),
    operations,
    tags: tags.map(({ name, description }) => (
      { name, description, operations: operations.filter(({ tag }) => tag === name) }
    )),
  };
}

/** Replaces each reference by a copy of the referenced part. The member `refName` names the part. */
function resolve(node, source) {
  if (typeof node !== 'object' || node === null) {
    return node;
  }
  if (Array.isArray(node)) {
    return node.map((member) => resolve(member, source));
  }
  if (typeof node.$ref === 'string') {
    const [, , kind, name] = node.$ref.split('/');
    return resolve({ ...source.components[kind][name], refName: name }, source);
  }
  return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, resolve(member, source)]));
}

function toOperation(operation, everyScope) {
  const { operationId: id, 'x-access': role, 'x-scopes': scopes, security, requestBody } = operation;
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  const access = role === 'public' && schemes.length > 0 ? 'optional' : role;
  const answers = Object.entries(operation.responses).map(([status, answer]) => toAnswer(status, answer));
  const problems = answers.flatMap(({ content }) => content.flatMap((form) => form.problems));
  /** The URL explains which changes need the password. */
  const passwordUrl = problems.find(({ url }) => url.endsWith('#password-needed'))?.url;
  return {
    ...operation,
    id,
    method: operation.method.toUpperCase(),
    tag: operation.tags[0],
    access,
    /** The list is empty for an operation that ignores credentials. */
    schemes,
    needsPassword: passwordUrl !== undefined,
    callers: describeCallers({ access, scopes, passwordUrl }, everyScope),
    body: requestBody && toBody(requestBody),
    answers,
  };
}

/** Each body has exactly one media type and one example. */
function toBody({ required, content }) {
  const [[mediaType, { schema, examples }]] = Object.entries(content);
  const { value } = examples.example;
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  const example = isForm ? new URLSearchParams(value).toString() : JSON.stringify(value, undefined, 2);
  return { isRequired: required, mediaType, schema, example };
}

function toAnswer(status, { description, headers = {}, content = {} }) {
  return {
    status,
    description,
    headers: Object.entries(headers).map(([name, header]) => ({ name, ...header })),
    content: Object.entries(content).map(([mediaType, { schema, examples = {} }]) => ({
      mediaType,
      schema,
      examples: Object.values(examples),
      problems: mediaType === 'application/problem+json' ? listProblems(schema) : [],
    })),
  };
}

function listProblems(schema) {
  return (schema.oneOf ?? [schema]).map(({ properties: { type, title } }) => (
    { title: title.enum[0], url: new URL(type.enum[0], DOCUMENT_URL).href }
  ));
}
