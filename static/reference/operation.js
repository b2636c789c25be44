/** The page of one operation: what it does, what it takes, what it answers, and a form to try it. */
import { code, element, lines, section } from './dom.js';
import { toBreakable, toMethod } from './endpoint.js';
import { toBlocks, toInline } from './markdown.js';
import { describe, showSchema, toMark } from './schema.js';
import { createTrial } from './trial.js';

const PLACES = { path: 'In the path', query: 'In the query', header: 'Header fields' };

/** @returns {Node[]} The first one has the heading. */
export function showOperation(operation, description) {
  const trial = createTrial(operation, description);
  const place = section('Try it',
    element('p', { class: 'hint' }, 'This sends a real request to this service, and what it changes stays changed.'),
    trial.form,
  );
  return [
    element('header', { class: 'title' },
      element('p', { class: 'over' }, operation.tag),
      element('h1', { tabindex: -1 }, operation.summary),
      showEndpoint(operation),
    ),
    element('div', { class: 'prose' }, toBlocks(operation.description)),
    element('dl', { class: 'facts' },
      element('div', {}, element('dt', {}, 'Who may call'), element('dd', {}, toCallers(operation))),
      element('div', {}, element('dt', {}, 'Name'), element('dd', {}, code(operation.id))),
    ),
    section('Command', trial.command, element('p', { class: 'actions' }, trial.copy, showJump('Try it', place))),
    showParameters(operation, description),
    showBody(operation, description),
    showAnswers(operation, description),
    place,
  ].filter((node) => node !== undefined);
}

/** Not a link, as the hash names the operation. */
function showJump(label, place) {
  return element('button', { type: 'button', class: 'quiet', onclick: () => {
    place.scrollIntoView();
    place.querySelector('input, select, textarea, button').focus({ preventScroll: true });
  } }, label);
}

function showEndpoint({ method, path }) {
  return element('p', { class: 'endpoint' }, toMethod(method), ' ', element('code', {}, toBreakable(path)));
}

/** Beyond the credentials, rights are told by the refusals of those who lack them. */
function toCallers({ isOpen, schemes, answers }) {
  const callers = schemes.length === 0 ? 'Anybody, without credentials' : isOpen ? 'Anybody, or whoever has a token that the operator has set' : 'Users who sign in';
  const refusals = answers.filter(({ status }) => status === '403').flatMap(({ content }) => content).flatMap(({ examples }) => examples);
  return [callers, ...refusals.map(({ value }) => value.detail)].map((sentence) => `${sentence}.`).join(' ');
}

function showParameters({ parameters, sharedParameters }, { resolve }) {
  const groups = Object.entries(PLACES)
    .map(([place, heading]) => ({ heading, members: parameters.filter((parameter) => parameter.in === place) }))
    .filter(({ members }) => members.length > 0);
  return groups.length + sharedParameters.length === 0 ? undefined : section('Parameters',
    ...groups.flatMap(({ heading, members }) => [element('h3', {}, heading), showMembers(members, resolve)]),
    sharedParameters.length === 0 ? undefined : element('details', {},
      element('summary', {}, `${groups.length === 0 ? 'None but' : 'And'} ${sharedParameters.length} that all requests may have`),
      showMembers(sharedParameters, resolve),
    ),
  );
}

function showMembers(parameters, resolve) {
  return element('ul', { class: 'members' }, parameters.map((parameter) => showParameter(parameter, resolve)));
}

function showParameter({ name, required = false, description = '', schema = {}, example }, resolve) {
  return element('li', {},
    element('p', {}, element('code', { class: 'name' }, name), ' ', toMark(required), element('span', { class: 'kind' }, describe(resolve(schema), resolve))),
    element('p', { class: 'words' }, toInline(description), example === undefined ? '' : element('span', {}, ' For example ', code(String(example)), '.')),
  );
}

function showBody({ body }, { resolve }) {
  return body && section('Body',
    element('div', { class: 'beside' },
      element('div', {},
        element('p', {}, code(body.mediaType), body.isRequired ? ', required' : ', optional'),
        showSchema(body.schema, resolve),
      ),
      element('div', {}, showExamples(body.examples)),
    ),
  );
}

function showAnswers({ answers }, description) {
  const isUsual = (answer) => description.operations.every((operation) => operation.answers.some((other) => isSameProblem(other, answer)));
  const [usual, own] = [answers.filter(isUsual), answers.filter((answer) => !isUsual(answer))];
  return section('Answers',
    ...own.map((answer) => showAnswer(answer, description)),
    usual.length === 0 ? undefined : element('details', { class: 'usual' },
      element('summary', {}, `${usual.map(({ status }) => status).join(', ')}: what any request may be answered`),
      usual.map((answer) => showAnswer(answer, description)),
    ),
  );
}

function isSameProblem(left, right) {
  const typesOf = ({ content }) => content.flatMap(({ problems }) => problems.map(({ url }) => url)).join();
  return left.status === right.status && typesOf(left) !== '' && typesOf(left) === typesOf(right);
}

function showAnswer({ status, description, headers, content }, { resolve }) {
  const isSuccess = status.startsWith('2');
  const problems = content.flatMap((form) => form.problems);
  return element('details', { class: 'answer', open: isSuccess },
    element('summary', {}, element('b', { class: `status-code of-${status[0]}` }, status), ' ', element('span', {}, toInline(description))),
    element('div', { class: 'beside' },
      element('div', {},
        problems.length === 0 ? undefined : element('p', {}, 'Explained: ', join(problems.map(({ title, url }) => element('a', { href: url }, title)))),
        content.map(({ mediaType, schema }) => [element('p', {}, code(mediaType)), problems.length === 0 ? showSchema(schema, resolve) : undefined]).flat(),
        problems.length === 0 ? undefined : element('details', {}, element('summary', {}, 'Members'), content.map(({ schema }) => showSchema(schema, resolve))),
        showHeaders(headers, resolve),
      ),
      element('div', {}, content.flatMap(({ examples }) => showExamples(examples))),
    ),
  );
}

function showHeaders(headers, resolve) {
  return headers.length === 0 ? undefined : element('details', {},
    element('summary', {}, `${headers.length} header fields`),
    showMembers(headers, resolve),
  );
}

function showExamples(examples) {
  return examples.map(({ summary, value }) => element('figure', {},
    element('figcaption', {}, summary),
    lines(`Example: ${summary}`, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)),
  ));
}

function join(nodes) {
  return nodes.flatMap((node, index) => (index === 0 ? [node] : [', ', node]));
}
