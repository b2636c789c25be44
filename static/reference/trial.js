/** A form that sends a real request. The page also shows this request as code, and shows the response. */
import { button, createCopyButton, element, lines, toNodes } from '../shared/elements.js';
import { showCredentials, useToken } from './credentials.js';
import { highlight } from './highlight.js';
import { code, countFields, showValue } from './parts.js';
import { toFetchOptions, toRequest } from './request.js';
import { parseJson, SAMPLES } from './samples.js';
import { describe } from './schema.js';

/** The samples on all pages use this language. */
let language = 'curl';

/** @returns {{ sample: Node, response: Node, form: Node }} */
export function createTrial(operation, base) {
  const { id, method, parameters, body } = operation;
  const fields = parameters.map(createField);
  // An optional body is left out at first, so the first request uses the defaults of the service.
  const area = body && element(
    'textarea', { spellcheck: 'false', rows: 8, placeholder: body.example }, body.isRequired && body.example,
  );
  const status = element('p', { role: 'status', class: 'hint' });
  const response = element('section', { 'class': 'card', 'aria-label': 'Response' }, showExample(operation));
  let isSending = false;
  const form = element('form', { class: 'trial', novalidate: true, input: () => sample.draw(), submit: send },
    showCredentials(operation),
    fields.map(({ node }) => node),
    body && element('label', { class: 'field' },
      element('span', {}, 'Body ', element('small', {}, body.isRequired ? '' : 'optional, ', body.mediaType)),
      area,
    ),
    element('p', { class: 'actions' },
      element('button', { class: 'primary' }, `Send this ${method} request`), status,
    ),
  );
  const sample = createSample(id, form, currentRequest);
  sample.draw();
  return { sample: sample.node, response, form };

  function currentRequest() {
    const values = fields.map(({ parameter, control }) => ({ ...parameter, value: control.value }));
    return toRequest(operation, base, values, area?.value.trim() ?? '');
  }

  async function send(event) {
    event.preventDefault();
    if (isSending) {
      return;
    }
    isSending = true;
    status.textContent = 'Sending …';
    const outcome = await exchange(currentRequest());
    isSending = false;
    status.textContent = outcome.summary;
    response.replaceChildren(...toNodes(showOutcome(outcome)));
    response.scrollIntoView({ block: 'nearest' });
  }
}

/** Required parameters get an initial value, so that the form starts with a complete request. */
function createField(parameter) {
  const { in: place, name, required, schema, example } = parameter;
  const control = schema.enum === undefined
    ? element('input', {
      type: 'text', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off',
      ...(required ? { value: example } : { placeholder: example && `e.g. ${example}` }),
    })
    : element('select', {}, element('option', { value: '' }, '(not sent)'), schema.enum.map((word) => (
      element('option', {}, word)
    )));
  const node = element('label', { class: 'field' },
    element(
      'span', {}, code(name), ' ',
      element('small', {}, place === 'header' && 'header field, ', describe(schema)),
    ),
    control,
  );
  return { parameter, control, node };
}

function createSample(id, form, currentRequest) {
  const pre = lines(`Sample: ${id}`);
  const choices = Object.keys(SAMPLES).map((name) => button(name, () => {
    language = name;
    draw();
  }, { class: 'quiet small' }));
  const goToForm = button('Try it', () => {
    form.closest('section').scrollIntoView();
    form.querySelector('input, select, textarea, button').focus({ preventScroll: true });
  }, { class: 'small' });
  const copy = createCopyButton('the sample', () => pre.firstElementChild);
  const node = element('section', { 'class': 'card', 'aria-label': 'Request' },
    element('div', { class: 'card-head' },
      choices, element('span', { class: 'card-actions' }, copy, goToForm),
    ),
    pre,
  );
  return { node, draw };

  function draw() {
    for (const choice of choices) {
      choice.setAttribute('aria-pressed', String(choice.textContent === language));
    }
    pre.firstElementChild.replaceChildren(...highlight(SAMPLES[language](currentRequest())));
  }
}

/** The example of a successful response stays until a real response arrives. */
function showExample({ answers }) {
  const { status, content } = answers.find((answer) => answer.status.startsWith('2'));
  const [example] = content.flatMap(({ examples }) => examples);
  return [
    showHead(element('span', { class: 'hint' }, `${status} example`)),
    example === undefined
      ? element('p', { class: 'hint' }, 'There is no example.')
      : showValue('Example of the response', example.value),
  ];
}

/** Sends a request, and returns a failure instead of throwing an error. */
async function exchange(request) {
  const startedAtMs = performance.now();
  try {
    const answer = await fetch(request.url, toFetchOptions(request));
    const text = await readText(answer);
    const durationMs = Math.round(performance.now() - startedAtMs);
    return {
      kind: String(answer.status)[0],
      summary: `${answer.status} ${answer.statusText}, ${durationMs} ms`,
      headers: [...answer.headers].map(([name, value]) => `${name}: ${value}`),
      text,
    };
  } catch (error) {
    const summary = `Cannot send the request or read its response: ${error}`;
    return { kind: '5', summary, headers: [], text: '' };
  }
}

async function readText(answer) {
  const bytes = await answer.arrayBuffer();
  const isText = /^text\/|json|xml|javascript|yaml/.test(answer.headers.get('Content-Type') ?? '');
  return isText || bytes.byteLength === 0
    ? new TextDecoder().decode(bytes)
    : `(${bytes.byteLength} bytes that are not text)`;
}

function showOutcome({ kind, summary, headers, text }) {
  const json = parseJson(text);
  const use = button('Use this token from now on', () => {
    useToken(json.token);
    use.textContent = 'The next requests use this token';
  }, { class: 'small' });
  return [
    showHead(element('b', { class: `of-${kind}` }, summary)),
    text !== '' && showValue('Body of the response', json === undefined ? text : json),
    typeof json?.token === 'string' && element('p', { class: 'actions' }, use),
    headers.length > 0 && element('details', {},
      element('summary', {}, countFields(headers)),
      lines('Header fields of the response', headers.join('\n')),
    ),
  ];
}

function showHead(words) {
  return element('div', { class: 'card-head' }, element('h3', {}, 'Response'), words);
}
