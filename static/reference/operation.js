/** The page of an operation has its text on the left, and the request and the response on the right. */
import { element } from '../shared/elements.js';
import { toBlocks, toInline } from './markdown.js';
import { code, countFields, section, showValue, toBreakable, toMethod } from './parts.js';
import { showName, showSchema } from './schema.js';
import { createTrial } from './trial.js';

const PLACES = { path: 'In the path', query: 'In the query', header: 'Header fields' };

export function showOperation(operation, base) {
  const trial = createTrial(operation, base);
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
      showParameters(operation),
      showBody(operation),
      section('Responses', operation.answers.map(showAnswer)),
      section('Try it',
        element('p', { class: 'hint' }, 'The form sends real requests to Rollcall. Changes are permanent.'),
        trial.form,
      ),
    ),
    element('div', { class: 'right' }, trial.sample, trial.response),
  )];
}

function showParameters({ parameters }) {
  const groups = Object.entries(PLACES).map(([place, heading]) => (
    { heading, members: parameters.filter((parameter) => parameter.in === place) }
  )).filter(({ members }) => members.length > 0);
  return groups.length > 0 && section('Parameters',
    groups.map(({ heading, members }) => [element('h3', {}, heading), showMembers(members)]),
  );
}

function showMembers(parameters) {
  return element(
    'ul', { class: 'members' }, parameters.map(({ name, required, description, schema, example }) => (
      element('li', {},
        showName(name, required, schema),
        element(
          'p', { class: 'words' }, toInline(description),
          example !== undefined && [' For example ', code(String(example)), '.'],
        ),
      )
    )),
  );
}

function showBody({ body }) {
  return body && section('Body',
    element('p', {}, code(body.mediaType), body.isRequired ? ', required' : ', optional'),
    showSchema(body.schema),
  );
}

/** All problems have the same members, so the page links to explanations instead of listing the members. */
function showAnswer({ status, description, headers, content }) {
  const problems = content.flatMap((form) => form.problems);
  const links = problems.map(
    ({ title, url }, index) => [index > 0 && ', ', element('a', { href: url }, title)],
  );
  const examples = content.flatMap((form) => form.examples);
  return element('details', { class: 'answer', open: status.startsWith('2') },
    element(
      'summary', {},
      element('b', { class: `status-code of-${status[0]}` }, status === 'default' ? 'other' : status), ' ',
      element('span', {}, toInline(description)),
    ),
    problems.length > 0 && element('p', {}, 'Explained: ', links),
    content.map(({ mediaType, schema }) => [
      element('p', {}, code(mediaType)), problems.length === 0 && showSchema(schema),
    ]),
    headers.length > 0 && element(
      'details', {}, element('summary', {}, countFields(headers)), showMembers(headers),
    ),
    examples.length > 0 && element('details', {},
      element('summary', {}, 'Examples'), examples.map(({ summary, value }) => element('figure', {},
        element('figcaption', {}, summary), showValue(`Example: ${summary}`, value),
      )),
    ),
  );
}
