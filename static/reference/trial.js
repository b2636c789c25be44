/** The form that sends a real request, the same request as code, and the response to it. */
import { button, createCopyButton, element, lines, storage } from '../shared/elements.js';
import { showCredentials, useToken } from './credentials.js';
import { highlight } from './highlight.js';
import { code } from './parts.js';
import { toFetchOptions, toRequest, toRequestText } from './request.js';
import { SAMPLES } from './samples.js';
import { describe } from './schema.js';

/** The rest of a longer body is not shown. */
const SHOWN_CHARACTERS_MAX = 100_000;

const LANGUAGE_KEY = 'rollcall-language';

/** @returns {{ sample: Node, response: Node, form: Node }} All three parts belong to the same request. */
export function createTrial(operation, { base, resolve }) {
  const values = new Map(operation.parameters.map((parameter) => [parameter, toInitialValue(parameter)]));
  const initialBody = operation.body?.isRequired ? toText(operation.body.examples[0]?.value ?? {}) : '';
  const editor = operation.body && createBodyEditor(operation.body, initialBody, update);
  const status = element('p', { role: 'status', class: 'hint' });
  const response = element('section', { 'class': 'card', 'aria-label': 'Response' }, showExample(operation));
  const sample = createSample(operation, () => form);
  const credentials = element('div');
  let isSending = false;
  const form = element('form', { class: 'trial', novalidate: true, submit: send },
    credentials,
    operation.parameters.map(showField),
    editor?.field,
    element(
      'p', { class: 'actions' },
      element('button', { class: 'primary' }, `Send this ${operation.method} request`), status,
    ),
  );
  update();
  askForCredentials();
  return { sample: sample.node, response, form };

  function currentRequest() {
    return toRequest(operation, base, values, editor?.read() ?? '');
  }

  function update() {
    sample.show(currentRequest());
  }

  function askForCredentials() {
    const fields = showCredentials(operation, update);
    credentials.replaceChildren(...(fields ? [fields] : []));
  }

  function showField(parameter) {
    const onInput = (value) => {
      values.set(parameter, value);
      update();
    };
    return showParameterField(parameter, { resolve, value: values.get(parameter), onInput });
  }

  async function send(event) {
    event.preventDefault();
    if (isSending) {
      return;
    }
    isSending = true;
    status.textContent = 'Sending …';
    const request = currentRequest();
    const outcome = await exchange(request);
    isSending = false;
    status.textContent = outcome.summary;
    response.replaceChildren(...showOutcome(request, outcome, onToken));
    response.scrollIntoView({ block: 'nearest' });
  }

  function onToken(token) {
    useToken(token);
    askForCredentials();
    update();
  }
}

/** Required parameters get an initial value, so that the form starts with a complete request. */
function toInitialValue({ required, example, schema }) {
  return required ? String(example ?? schema?.default ?? '') : '';
}

/** A form is a text already. */
function toText(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

function showParameterField(parameter, { resolve, value, onInput }) {
  const { in: place, name, required, schema = {}, example } = parameter;
  const words = resolve(schema).enum;
  const input = ({ target }) => onInput(target.value);
  const placeholder = required || example === undefined ? undefined : `e.g. ${example}`;
  /** @type {HTMLInputElement | HTMLSelectElement} */
  const control = words === undefined
    ? element('input', {
      type: 'text', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off', placeholder, input,
    })
    : element('select', { input }, [...(required ? [] : ['']), ...words].map((word) => (
      element('option', { value: word }, word === '' ? '(not sent)' : word)
    )));
  control.value = value;
  return element('label', { class: 'field' },
    element(
      'span', {}, code(name), ' ',
      element('small', {}, place === 'header' && 'header field, ', describe(resolve(schema), resolve)),
    ),
    control,
  );
}

function createBodyEditor({ examples, mediaType, isRequired }, initial, onInput) {
  const area = element('textarea', { spellcheck: 'false', input: onInput });
  const offered = isRequired ? examples : [{ summary: 'No body', value: undefined }, ...examples];
  const choose = ({ target }) => {
    const { value } = offered[target.selectedIndex];
    fill(value === undefined ? '' : toText(value));
    onInput();
  };
  fill(initial);
  const field = element('div', {},
    offered.length > 1 && element('label', { class: 'field' },
      element('span', {}, 'Start with an example'),
      element('select', { change: choose }, offered.map(({ summary }) => element('option', {}, summary))),
    ),
    element('label', { class: 'field' }, element('span', {}, 'Body ', element('small', {}, mediaType)), area),
  );
  return { field, read: () => area.value.trim() };

  function fill(text) {
    area.value = text;
    area.rows = Math.min(12, text.split('\n').length + 1);
  }
}

/** The request as code, in the language that the reader chose last. */
function createSample({ id }, findForm) {
  const languages = Object.keys(SAMPLES);
  const kept = storage('localStorage')?.getItem(LANGUAGE_KEY) ?? '';
  let language = languages.includes(kept) ? kept : languages[0];
  let request;
  const pre = lines(`Sample: ${id}`);
  const choices = languages.map((name) => button(name, () => {
    language = name;
    storage('localStorage')?.setItem(LANGUAGE_KEY, name);
    draw();
  }, { class: 'quiet small' }));
  const goToForm = button('Try it', () => {
    findForm().closest('section').scrollIntoView();
    findForm().querySelector('input, select, textarea, button').focus({ preventScroll: true });
  }, { class: 'small' });
  const copy = createCopyButton('the sample', () => pre.firstElementChild);
  const node = element('section', { 'class': 'card', 'aria-label': 'Request' },
    element('div', { class: 'card-head' },
      choices, element('span', { class: 'card-actions' }, copy, goToForm),
    ),
    pre,
  );
  return { node, show };

  function show(next) {
    request = next;
    draw();
  }

  function draw() {
    for (const choice of choices) {
      choice.setAttribute('aria-pressed', String(choice.textContent === language));
    }
    pre.firstElementChild.replaceChildren(...highlight(SAMPLES[language](request)));
  }
}

/** Shows the first example of a success, until a real response replaces it. */
function showExample({ answers }) {
  const { status, content = [] } = answers.find((answer) => answer.status.startsWith('2')) ?? {};
  const [example] = content.flatMap(({ examples }) => examples);
  const text = toText(example?.value ?? null);
  return [
    element(
      'div', { class: 'card-head' }, element('h3', {}, 'Response'),
      element('span', { class: 'hint' }, `${status ?? ''} example`),
    ),
    example
      ? lines('Example of the response', highlight(text))
      : element('p', { class: 'hint' }, 'There is no example.'),
  ];
}

/** Sends a request. Never throws. */
async function exchange(request) {
  const startedAtMs = performance.now();
  try {
    const answer = await fetch(request.url, toFetchOptions(request));
    const body = await answer.arrayBuffer();
    return {
      kind: 'answered',
      status: answer.status,
      summary: `${answer.status} ${answer.statusText}, ${Math.round(performance.now() - startedAtMs)} ms`,
      headers: [...answer.headers],
      ...toBody(body, answer.headers.get('Content-Type') ?? ''),
    };
  } catch (error) {
    const reason = error instanceof TypeError ? error.message : String(error);
    return { kind: 'failed', summary: `Cannot send the request or read its response: ${reason}` };
  }
}

/** @returns The body as text, with JSON indented, and also as a value if it is JSON. */
function toBody(bytes, contentType) {
  if (bytes.byteLength > 0 && !/^text\/|json|xml|javascript|yaml/.test(contentType)) {
    return { text: `(${bytes.byteLength} bytes that are not text)` };
  }
  const text = new TextDecoder().decode(bytes);
  const json = parseJson(text);
  return { json, text: cut(json === undefined ? text : toText(json)) };
}

function cut(text) {
  const rest = text.length - SHOWN_CHARACTERS_MAX;
  return rest > 0 ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}\n(and ${rest} more characters)` : text;
}

function showOutcome(request, outcome, onToken) {
  const sent = element(
    'details', {}, element('summary', {}, 'Request as sent'),
    lines('Request as sent', toRequestText(request)),
  );
  const head = (words) => element('div', { class: 'card-head' }, element('h3', {}, 'Response'), words);
  if (outcome.kind === 'failed') {
    const reason = element('p', { class: 'hint' }, outcome.summary);
    return [head(element('b', { class: 'of-5' }, 'failed')), reason, sent];
  }
  const { status, summary, headers, text, json } = outcome;
  const token = request.method === 'POST' && typeof json?.token === 'string' ? json.token : undefined;
  const fields = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return [
    head(element('b', { class: `of-${String(status)[0]}` }, summary)),
    text !== '' && lines('Body of the response', highlight(text)),
    token !== undefined && element('p', { class: 'actions' }, showUseOf(token, onToken)),
    element(
      'details', {}, element('summary', {}, `${headers.length} header fields`),
      lines('Header fields of the response', fields),
    ),
    sent,
  ].filter(Boolean);
}

function showUseOf(token, onToken) {
  const use = button('Use this token from now on', () => {
    onToken(token);
    use.textContent = 'The next requests use this token';
  }, { class: 'small' });
  return use;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not every body is JSON
  }
}
