/** Fields of forms: a control with its label, hint and error, and usernames that it suggests. */
/** @import { Choices } from './dom.js' */
import { element } from '../shared/elements.js';
import { request } from './api.js';
import { createChoice } from './dom.js';

/** @typedef {Record<string, string>} Values By the names of fields; a checkbox is `true` or `false`. */

/**
 * `name` is the member of the request body, so that JSON pointers lead to the field. A select starts with its
 * first choice. With `suggestsUsers`, the field suggests usernames that start with the typed text. While
 * `applies` is false, the field is neither shown nor sent.
 *
 * @typedef {{ name: string, label: string, type?: 'text' | 'email' | 'password' | 'number' | 'textarea' |
 *   'select' | 'checkbox', value?: string, hint?: string, choices?: Choices, suggestsUsers?: boolean,
 *   applies?: (values: Values) => boolean, attributes?: Record<string, unknown> }} Field
 */

/** The attributes of a required field for names, whose first letter no keyboard may capitalize. */
export const NAME = { required: true, autocapitalize: 'none' };

let lastId = 0;

/** @param {Field} field */
export function createControl(field) {
  const { name, label, type = 'text', value = '', hint = '', choices = [], attributes = {} } = field;
  const { suggestsUsers = false, applies = () => true } = field;
  const id = `${name}-${lastId += 1}`;
  const error = element('p', { class: 'error', id: `${id}-error` });
  const common = { id, name, 'aria-describedby': `${id}-hint ${id}-error`, ...attributes };
  const typed = { dir: 'auto', autocomplete: 'off', spellcheck: String(type === 'textarea'), ...common };
  const input = type === 'textarea' ? element('textarea', { rows: 5, ...typed })
    : type === 'select' ? createChoice(choices, common)
    : element('input', { type, ...(type === 'checkbox' ? common : typed) });
  const labelled = type === 'checkbox' ? element('label', { class: 'choice' }, input, label) : [
    element('label', { for: id }, label), input,
  ];
  const row = element(
    'div', { class: 'row' }, labelled, element('p', { class: 'hint', id: `${id}-hint` }, hint), error,
  );
  input.value = value || input.value;
  if (suggestsUsers) {
    row.append(suggestUsers(/** @type {HTMLInputElement} */ (input)));
  }
  return {
    name, label, input, row, read, applies,
    isWrong: () => error.textContent !== '',
    /** @param {string} message - Empty for none. */
    setError: (message) => {
      error.textContent = message;
      input.ariaInvalid = String(message !== '');
    },
    /**
     * @param {unknown} before - The value of the member when the draft began.
     * @param {unknown} now - The value of the same member after another user's change.
     */
    meet: (before, now) => {
      if (typeof now === 'string' && read() === before) {
        input.value = now;
      }
    },
  };

  function read() {
    return type === 'checkbox' ? String(/** @type {HTMLInputElement} */ (input).checked) : input.value;
  }
}

/** @param {HTMLInputElement} input - The field that suggests usernames. */
function suggestUsers(input) {
  const list = element('datalist', { id: `${input.id}-list` });
  const whenPaused = createPause(async (signal) => {
    const call = { path: ['users'], query: { starts_with: input.value, items_per_page: '8' }, signal };
    const found = await request(call).catch(() => undefined); // suggestions are optional
    const users = /** @type {{ username: string }[]} */ (found?.body.users ?? []);
    list.replaceChildren(...users.map(({ username }) => element('option', { value: username })));
  });
  input.setAttribute('list', list.id);
  input.addEventListener('input', whenPaused);
  return list;
}

const TYPING_PAUSE_MS = 200;

/**
 * @param {(signal: AbortSignal) => unknown} act - Called when the user stops typing. The signal aborts when
 *   the user types again.
 */
export function createPause(act) {
  let turn = new AbortController();
  return () => {
    turn.abort();
    turn = new AbortController();
    const { signal } = turn;
    setTimeout(() => signal.aborted || act(signal), TYPING_PAUSE_MS);
  };
}
