/** What the reader signs in with: kept in the memory of this page alone, and shown in no request or command. */
import { element } from './dom.js';

const KINDS = { none: 'No credentials', token: 'A token', password: 'Username and password' };

const state = { kind: 'token', token: '', username: '', password: '' };

/** @param {string} token - To be used from now on. */
export function useToken(token) {
  Object.assign(state, { kind: 'token', token });
}

/** @returns {'none' | 'token' | 'password'} The chosen kind, or the one that fits the operation. */
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

/** The same for people: where a secret is, there is a name for it. */
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

/** @returns {string | undefined} The words of curl; it asks for a password. */
export function toCurlOption(operation, quote) {
  switch (kindFor(operation)) {
    case 'token':
      return '-H "Authorization: Bearer $token"';
    case 'password':
      return `-u ${state.username === '' ? '"$username"' : quote(state.username)}`;
    default:
      return undefined;
  }
}

/**
 * @param {() => void} onChange
 * @returns {Node | undefined} Fields; none for an operation that nobody signs in for.
 */
export function showCredentials(operation, onChange) {
  const kinds = listKinds(operation);
  if (kinds.length < 2) {
    return undefined;
  }
  const fields = element('div', { class: 'fields-of-kind' });

  function choose(kind) {
    state.kind = kind;
    fields.replaceChildren(...showFields(kind, onChange));
    onChange();
  }

  const chosen = kindFor(operation);
  fields.replaceChildren(...showFields(chosen, onChange));
  return element('fieldset', { class: 'credentials' },
    element('legend', {}, 'Credentials'),
    element('div', { class: 'choices' }, kinds.map((kind) => element('label', {},
      element('input', { type: 'radio', name: 'credentials', value: kind, checked: kind === chosen, onchange: () => choose(kind) }),
      ` ${KINDS[kind]}`,
    ))),
    fields,
    element('p', { class: 'hint' }, 'They stay in the memory of this page, and go nowhere but to the service.'),
  );
}

function showFields(kind, onChange) {
  switch (kind) {
    case 'token':
      return [showField('token', { label: 'Token', type: 'password', onChange })];
    case 'password':
      return [showField('username', { label: 'Username', type: 'text', onChange }), showField('password', { label: 'Password', type: 'password', onChange })];
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

function listKinds({ schemes, isOpen }) {
  if (schemes.length === 0) {
    return ['none'];
  }
  const kinds = ['token', ...(schemes.includes('basic') ? ['password'] : [])];
  return isOpen ? ['none', ...kinds] : [...kinds, 'none'];
}

/** In UTF-8, as the service reads it. */
function toBase64(text) {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
