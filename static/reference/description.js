/**
 * Converts the description of the API (OpenAPI 3.0) to the form that the pages show, without references.
 */

import { describeCallers } from './callers.js';

export const DOCUMENT_URL = new URL('../openapi.json', import.meta.url);

/** The tag that is listed last. It has the probes and other operations for machines. */
const LAST_TAG = 'Service';

/** @throws {Error} If the description cannot be read; the message is a sentence for readers. */
export async function loadDescription() {
  const answer = await fetch(DOCUMENT_URL, { credentials: 'omit' }).catch(() => undefined);
  if (answer === undefined) {
    throw new Error("Can't reach the server.");
  }
  if (!answer.ok) {
    throw new Error(`The service responded with ${answer.status} ${answer.statusText}.`);
  }
  const source = await answer.json().catch(() => undefined);
  if (typeof source?.paths !== 'object') {
    throw new Error('The response is not a description of the API.');
  }
  return toDescription(source);
}

/** @param {any} source - The document. */
function toDescription(source) {
  const resolve = (node) => resolveIn(source, node);
  const base = new URL(`${source.servers?.[0]?.url ?? ''}/`.replace(/\/+$/, '/'), DOCUMENT_URL);
  const described = Object.entries(source.paths).flatMap(([path, methods]) => (
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation }))
  ));
  const everyScope = [...new Set(described.flatMap(({ operation }) => operation['x-scopes'] ?? []))];
  const operations = described.map((each) => toOperation(each, everyScope, resolve));
  const [introduction = '', ...guides] = (source.info.description ?? '').split(/\n(?=## )/);
  const tags = (source.tags ?? []).toSorted(
    (left, right) => Number(left.name === LAST_TAG) - Number(right.name === LAST_TAG),
  );
  return {
    title: source.info.title,
    version: source.info.version,
    introduction,
    guides: guides.map(toGuide),
    /** The URL to which the paths of operations are appended; it ends in a slash. */
    base,
    resolve,
    operations,
    tags: tags.map(({ name, description = '' }) => ({
      name,
      description,
      isLast: name === LAST_TAG,
      operations: operations.filter(({ tag }) => tag === name),
    })),
  };
}

/** Converts a section of the introduction to a guide, with the id that its address has. */
function toGuide(text) {
  const [heading = '', ...rest] = text.split('\n');
  const title = heading.replace('## ', '');
  return { id: `guide-${title.toLowerCase().replaceAll(' ', '-')}`, title, text: rest.join('\n') };
}

/** Follows references. `refName` is the last segment of the last reference. */
function resolveIn(source, node) {
  let found = node;
  let refName;
  while (typeof found?.$ref === 'string') {
    const path = found.$ref.replace(/^#\//, '').split('/');
    refName = path.at(-1);
    found = path.reduce((parent, key) => parent?.[key], source);
  }
  return refName === undefined ? found : { ...found, refName };
}

function toOperation({ method, path, operation }, everyScope, resolve) {
  const parameters = (operation.parameters ?? []).map(resolve);
  const { 'x-access': access, 'x-scopes': scopes } = operation;
  const security = operation.security ?? [];
  return {
    id: operation.operationId,
    /** The id as words, such as "List users". */
    name: operation.operationId.replace(
      /[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`,
    ).replace(/^.|\bapi\b/g, (letters) => letters.toUpperCase()),
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? '',
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    /** The names of the accepted security schemes; empty for a public operation. */
    schemes: security.flatMap((scheme) => Object.keys(scheme)),
    /** Whether the operation can also be called without credentials. */
    isOpen: security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0),
    callers: describeCallers({ access, scopes }, everyScope),
    parameters,
    body: operation.requestBody && toBody(resolve(operation.requestBody), resolve),
    answers: Object.entries(operation.responses ?? {}).map(
      ([status, answer]) => toAnswer(status, resolve(answer), resolve),
    ),
  };
}

function toBody({ required = false, content }, resolve) {
  const [mediaType = '', { schema, examples: described = {} } = {}] = Object.entries(content)[0] ?? [];
  const examples = toExamples(described, resolve);
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  return { isRequired: required, mediaType, schema, examples: isForm ? examples.map(toForm) : examples };
}

/** An example of a form as the text to send. */
function toForm({ summary, value }) {
  return { summary, value: new URLSearchParams(value).toString() };
}

function toAnswer(status, { description = '', headers = {}, content = {} }, resolve) {
  return {
    status,
    description,
    headers: Object.entries(headers).map(([name, header]) => ({ name, ...resolve(header) })),
    content: Object.entries(content).map(([mediaType, { schema, examples = {} }]) => ({
      mediaType,
      schema,
      examples: toExamples(examples, resolve),
      problems: mediaType === 'application/problem+json' ? listProblems(schema, resolve) : [],
    })),
  };
}

function toExamples(examples, resolve) {
  return Object.values(examples).map(resolve).map(({ summary = '', value }) => ({ summary, value }));
}

/** The types of problems that a schema allows, with the pages that explain them. */
function listProblems(schema, resolve) {
  const alternatives = resolve(schema).oneOf ?? [schema];
  return alternatives.map(resolve).flatMap(({ properties }) => {
    const [type] = properties?.type?.enum ?? [];
    const [title = type] = properties?.title?.enum ?? [];
    return type === undefined ? [] : [{ title, url: new URL(type, DOCUMENT_URL).href }];
  });
}
