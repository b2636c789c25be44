/**
 * The reader's credentials. They are kept only in the memory of this page; requests and samples on the page
 * never show the secrets.
 */
import { button, element, storage, TOKEN_KEY } from '../shared/elements.js';

const KINDS = { none: 'No credentials', token: 'A token', password: 'Username and password' };

/** @type {{ kind: 'none' | 'token' | 'password', token: string, username: string, password: string }} */
const state = { kind: 'token', token: '', username: '', password: '' };

/** @param {string} token - The token for all further requests. */
export function useToken(token) {
  Object.assign(state, { kind: 'token', token });
}

/** @returns {'none' | 'token' | 'password'} The chosen kind, if the operation accepts it. */
export function kindFor({ schemes, isOpen }) {
  const accepted = listKinds({ schemes, isOpen });
  return accepted.includes(state.kind) ? state.kind : accepted[0];
}

/** @returns {string | undefined} The value of `Authorization`; `undefined` without credentials. */
export function toAuthorization(operation) {
  switch (kindFor(operation)) {
    case 'token':
      return `Bearer ${state.token.trim()}`;
    case 'password':
      return `Basic ${toBase64(`${state.username}:${state.password}`)}`;
    default:
      return undefined;
  }
}

/** The value of `Authorization` as the page shows it, with names in place of secrets. */
export function toShownAuthorization(operation) {
  switch (kindFor(operation)) {
    case 'token':
      return 'Bearer $token';
    case 'password':
      return `Basic base64(${state.username || '$username'}:$password)`;
    default:
      return undefined;
  }
}

/** The username that the reader has typed; it may be empty. */
export function username() {
  return state.username;
}

/**
 * @param {() => void} onChange
 * @returns {Node | undefined} The fields; `undefined` for an operation without credentials.
 */
export function showCredentials(operation, onChange) {
  const kinds = listKinds(operation);
  if (kinds.length < 2) {
    return undefined;
  }
  const fields = element('div', { class: 'fields-of-kind' });
  const radios = kinds.map((kind) => (
    element('input', { type: 'radio', name: 'credentials', value: kind, change: () => choose(kind) })
  ));
  const session = storage('sessionStorage')?.getItem(TOKEN_KEY);
  show(kindFor(operation));
  return element('fieldset', { class: 'credentials' },
    element('legend', {}, 'Credentials'),
    element(
      'div', { class: 'choices' },
      kinds.map((kind, index) => element('label', {}, radios[index], ` ${KINDS[kind]}`)),
    ),
    fields,
    session && state.token === '' && button('Use my console session', () => {
      useToken(session);
      choose('token');
    }, { class: 'small' }),
    element(
      'p', { class: 'hint' }, 'They stay in the memory of this page and are sent only to this service.',
    ),
  );

  function choose(kind) {
    state.kind = kind;
    show(kind);
    onChange();
  }

  function show(kind) {
    for (const radio of radios) {
      radio.checked = radio.value === kind;
    }
    fields.replaceChildren(...showFields(kind, onChange));
  }
}

function showFields(kind, onChange) {
  switch (kind) {
    case 'token':
      return [showField('token', { label: 'Token', type: 'password', onChange })];
    case 'password':
      return [
        showField('username', { label: 'Username', type: 'text', onChange }),
        showField('password', { label: 'Password', type: 'password', onChange }),
      ];
    default:
      return [];
  }
}

function showField(name, { label, type, onChange }) {
  const input = element('input', { type, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none' });
  input.value = state[name];
  input.addEventListener('input', () => {
    state[name] = input.value;
    onChange();
  });
  return element('label', { class: 'field' }, element('span', {}, label), input);
}

/** @returns {(typeof state.kind)[]} */
function listKinds({ schemes, isOpen }) {
  if (schemes.length === 0) {
    return ['none'];
  }
  /** @type {(typeof state.kind)[]} */
  const kinds = schemes.includes('basic') ? ['token', 'password'] : ['token'];
  return isOpen ? ['none', ...kinds] : [...kinds, 'none'];
}

/** Encodes a text as UTF-8, which the service expects, and then as base64. */
function toBase64(text) {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
