/** The page of one operation: the text, and next to it the request as code and the response. */
import { element, lines } from '../shared/elements.js';
import { highlight } from './highlight.js';
import { toBlocks, toInline } from './markdown.js';
import { code, section, toBreakable, toMethod } from './parts.js';
import { describe, showName, showSchema } from './schema.js';
import { createTrial } from './trial.js';

const PLACES = { path: 'In the path', query: 'In the query', header: 'Header fields' };

/** @returns The nodes of the page. */
export function showOperation(operation, description) {
  const trial = createTrial(operation, description);
  return [element('div', { class: 'split' },
    element('div', { class: 'left' },
      element('header', { class: 'title' },
        element('p', { class: 'over' }, operation.tag),
        element('h1', { tabindex: -1 }, operation.summary),
        element(
          'p', { class: 'endpoint' }, toMethod(operation.method), ' ',
          element('code', {}, toBreakable(operation.path)),
        ),
      ),
      element('div', { class: 'prose' }, toBlocks(operation.description)),
      element('dl', { class: 'facts' },
        element('div', {}, element('dt', {}, 'Who may call'), element('dd', {}, toInline(operation.callers))),
        element('div', {}, element('dt', {}, 'Operation ID'), element('dd', {}, code(operation.id))),
      ),
      showParameters(operation, description),
      showBody(operation, description),
      showAnswers(operation, description),
      section('Try it',
        element('p', { class: 'hint' }, 'This sends a real request to this service. Changes are permanent.'),
        trial.form,
      ),
    ),
    element('div', { class: 'right' }, trial.sample, trial.response),
  )];
}

function showParameters({ parameters }, { resolve }) {
  const groups = Object.entries(PLACES).map(([place, heading]) => (
    { heading, members: parameters.filter((parameter) => parameter.in === place) }
  )).filter(({ members }) => members.length > 0);
  return groups.length > 0 && section('Parameters',
    groups.map(({ heading, members }) => [element('h3', {}, heading), showMembers(members, resolve)]),
  );
}

function showMembers(parameters, resolve) {
  return element(
    'ul', { class: 'members' }, parameters.map((parameter) => showParameter(parameter, resolve)),
  );
}

function showParameter({ name, required = false, description = '', schema = {}, example }, resolve) {
  return element('li', {},
    showName(name, required, describe(resolve(schema), resolve)),
    element(
      'p', { class: 'words' }, toInline(description),
      example !== undefined && [' For example ', code(String(example)), '.'],
    ),
  );
}

function showBody({ body }, { resolve }) {
  return body && section('Body',
    element('p', {}, code(body.mediaType), body.isRequired ? ', required' : ', optional'),
    showSchema(body.schema, resolve),
    element('details', {}, element('summary', {}, 'Examples'), showExamples(body.examples)),
  );
}

function showAnswers({ answers }, description) {
  return section('Responses', answers.map((answer) => showAnswer(answer, description)));
}

function showAnswer({ status, description, headers, content }, { resolve }) {
  const problems = content.flatMap((form) => form.problems);
  const schemas = content.map(({ schema }) => showSchema(schema, resolve));
  const links = problems.flatMap(
    ({ title, url }, index) => [index > 0 && ', ', element('a', { href: url }, title)],
  );
  const statusText = status === 'default' ? 'other' : status;
  return element('details', { class: 'answer', open: status.startsWith('2') },
    element(
      'summary', {}, element('b', { class: `status-code of-${status[0]}` }, statusText), ' ',
      element('span', {}, toInline(description)),
    ),
    problems.length > 0 && element('p', {}, 'Explained: ', links),
    content.map(({ mediaType }) => element('p', {}, code(mediaType))),
    problems.length === 0 ? schemas : element('details', {}, element('summary', {}, 'Members'), schemas),
    headers.length > 0 && element(
      'details', {}, element('summary', {}, `${headers.length} header fields`), showMembers(headers, resolve),
    ),
    content.some(({ examples }) => examples.length > 0) && element('details', {},
      element('summary', {}, 'Examples'), content.map(({ examples }) => showExamples(examples))),
  );
}

function showExamples(examples) {
  return examples.map(({ summary, value }) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
    return element(
      'figure', {}, element('figcaption', {}, summary), lines(`Example: ${summary}`, highlight(text)),
    );
  });
}
