/** The form that sends a real request, with the same request as a command, and what came back. */
import { showCredentials, useToken } from './credentials.js';
import { code, element, lines } from './dom.js';
import { isLeftToBrowser, toCurl, toFetchOptions, toRequest, toRequestText } from './request.js';
import { describe } from './schema.js';

/** The rest of a longer body is not shown. */
const SHOWN_CHARACTERS_MAX = 100_000;

const COPIED_SHOWN_MS = 2000;

/** @returns {{ command: Node, copy: Node, form: Node }} The command and the form tell of the same request. */
export function createTrial(operation, { base, resolve }) {
  const parameters = [...operation.parameters, ...operation.sharedParameters].filter((parameter) => !isLeftToBrowser(parameter));
  const values = new Map(parameters.map((parameter) => [parameter, toInitialValue(parameter)]));
  const initialBody = operation.body?.isRequired ? toText(operation.body.examples[0]?.value ?? {}) : '';
  const editor = operation.body && createBodyEditor(operation.body, initialBody, update);
  const command = createCommand(operation);
  const result = element('div', { class: 'result' });
  const status = element('p', { role: 'status', class: 'hint' });
  let isSending = false;

  const currentRequest = () => toRequest(operation, base, values, editor?.read() ?? '');

  function showField(parameter) {
    return showParameterField(parameter, { resolve, value: values.get(parameter), onInput: (value) => {
      values.set(parameter, value);
      update();
    } });
  }

  function update() {
    command.show(toCurl(currentRequest()));
  }

  async function send() {
    if (isSending) {
      return;
    }
    isSending = true;
    status.textContent = 'Sending …';
    result.replaceChildren();
    const request = currentRequest();
    const outcome = await exchange(request);
    isSending = false;
    status.textContent = outcome.kind === 'answered' ? `${outcome.statusLine}, after ${outcome.durationMs} ms` : outcome.reason;
    result.replaceChildren(...showOutcome(request, outcome, onToken));
  }

  function onToken(token) {
    useToken(token);
    credentials.replaceChildren(...[showCredentials(operation, update)].filter(Boolean));
    update();
  }

  const credentials = element('div', {}, showCredentials(operation, update));
  const form = element('form', { class: 'trial', novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    send();
  } },
    credentials,
    operation.parameters.filter((parameter) => values.has(parameter)).map(showField),
    editor?.field,
    operation.sharedParameters.length === 0 ? undefined : element('details', {},
      element('summary', {}, 'Fields that all requests may have'),
      operation.sharedParameters.map(showField),
    ),
    element('p', { class: 'actions' }, element('button', { type: 'submit' }, `Send this ${operation.method} request`)),
    status,
    result,
  );
  update();
  return { command: command.node, copy: command.copy, form };
}

/** What is required is filled in, so that there is a request to begin with. */
function toInitialValue({ required, example, schema = {} }) {
  return required ? String(example ?? schema.default ?? '') : '';
}

function toText(value) {
  return JSON.stringify(value, undefined, 2);
}

function showParameterField({ in: place, name, required, schema = {}, example }, { resolve, value, onInput }) {
  const words = resolve(schema).enum;
  const listen = { oninput: ({ target }) => onInput(target.value) };
  const input = words === undefined
    ? element('input', { type: 'text', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off', placeholder: required || example === undefined ? undefined : `e.g. ${example}`, ...listen })
    : element('select', listen, [...(required ? [] : ['']), ...words].map((word) => element('option', { value: word }, word === '' ? '(not sent)' : word)));
  input.value = value;
  return element('label', { class: 'field' },
    element('span', {}, code(name), ' ', element('small', {}, place === 'header' ? 'header field, ' : '', describe(resolve(schema), resolve))),
    input,
  );
}

function createBodyEditor({ examples, mediaType, isRequired }, initial, onInput) {
  const area = element('textarea', { rows: Math.min(12, initial.split('\n').length + 1), spellcheck: 'false', oninput: onInput });
  area.value = initial;
  const offered = isRequired ? examples : [{ summary: 'No body', value: undefined }, ...examples];
  const choice = offered.length < 2 ? undefined : element('label', { class: 'field' },
    element('span', {}, 'Begin the body with'),
    element('select', { onchange: ({ target }) => {
      const { value } = offered[target.selectedIndex];
      area.value = value === undefined ? '' : toText(value);
      area.rows = Math.min(12, area.value.split('\n').length + 1);
      onInput();
    } }, offered.map(({ summary }) => element('option', {}, summary))),
  );
  const field = element('div', {}, choice, element('label', { class: 'field' }, element('span', {}, 'Body ', element('small', {}, mediaType)), area));
  return { field, read: () => area.value.trim() };
}

function createCommand({ id }) {
  const text = code('');
  const button = element('button', { type: 'button', class: 'quiet', onclick: async () => {
    button.textContent = await copy(text);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_SHOWN_MS);
  } }, 'Copy');
  const node = element('pre', { role: 'group', 'aria-label': `Command for curl: ${id}`, tabindex: 0 }, text);
  return { node, copy: button, show: (command) => {
    text.textContent = command;
  } };
}

/** Without HTTPS there is no clipboard for scripts, but a selection. @returns What to tell the reader. */
async function copy(node) {
  try {
    await navigator.clipboard.writeText(node.textContent);
    return 'Copied';
  } catch {
    getSelection().selectAllChildren(node);
    return 'Selected, ready to copy';
  }
}

/** Sends a request. Nothing that can go wrong is thrown. */
async function exchange(request) {
  const startedAtMs = performance.now();
  try {
    const answer = await fetch(request.url, toFetchOptions(request));
    const body = await answer.arrayBuffer();
    return {
      kind: 'answered',
      statusLine: `${answer.status} ${answer.statusText}`.trim(),
      durationMs: Math.round(performance.now() - startedAtMs),
      headers: [...answer.headers],
      body: toBodyText(body, answer.headers.get('Content-Type') ?? ''),
    };
  } catch (error) {
    const reason = error instanceof TypeError ? error.message : String(error);
    return { kind: 'failed', reason: `The request could not be sent, or its answer not be read: ${reason}` };
  }
}

function toBodyText(bytes, contentType) {
  if (bytes.byteLength === 0) {
    return '';
  }
  if (!/^text\/|json|xml|javascript|yaml/.test(contentType)) {
    return `(${bytes.byteLength} bytes that are no text)`;
  }
  const text = new TextDecoder().decode(bytes);
  const rest = text.length - SHOWN_CHARACTERS_MAX;
  return rest > 0 ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}\n(and ${rest} characters more)` : text;
}

function showOutcome(request, outcome, onToken) {
  const sent = [element('h3', {}, 'Request'), lines('Request as sent', toRequestText(request))];
  if (outcome.kind === 'failed') {
    return sent;
  }
  const { statusLine, headers, body } = outcome;
  const head = [statusLine, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  const parsed = parseJson(body);
  const token = request.method === 'POST' && typeof parsed?.token === 'string' ? parsed.token : undefined;
  return [
    ...sent,
    element('h3', {}, 'Answer'),
    lines('Answer as received', body === '' ? head : `${head}\n\n${body}`),
    ...(token === undefined ? [] : [element('p', { class: 'actions' }, showUseOf(token, onToken))]),
    ...(parsed === undefined || !body.includes(':') ? [] : [element('details', { open: true }, element('summary', {}, 'The body, indented'), lines('Body, indented', toText(parsed)))]),
  ];
}

function showUseOf(token, onToken) {
  const button = element('button', { type: 'button', class: 'quiet', onclick: () => {
    onToken(token);
    button.textContent = 'The next requests use this token';
  } }, 'Use this token from now on');
  return button;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it need not be JSON
  }
}
