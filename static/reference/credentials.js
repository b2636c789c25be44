/**
 * The reader's credentials. They are kept only in the memory of this page; samples on the page never show
 * the secrets.
 */
import { button, element, storage, TOKEN_KEY } from '../shared/elements.js';

const typed = { token: '', username: '', password: '' };

/** Fills the field of the token, as if the reader had typed there. */
export function useToken(token) {
  const field = /** @type {HTMLInputElement} */ (document.querySelector('.credentials [name=token]'));
  field.value = token;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** @returns {'token' | 'password' | 'none'} What is sent with a request of the operation. */
export function kindFor({ schemes }) {
  if (schemes.length === 0) {
    return 'none';
  }
  return schemes.includes('basic') && typed.token === '' && typed.username !== '' ? 'password' : 'token';
}

/** @returns {string | undefined} The value of `Authorization`; `undefined` without credentials. */
export function toAuthorization(operation) {
  switch (kindFor(operation)) {
    case 'token':
      return typed.token === '' ? undefined : `Bearer ${typed.token.trim()}`;
    case 'password':
      return `Basic ${toBase64(`${typed.username}:${typed.password}`)}`;
    default:
      return undefined;
  }
}

/** @returns {Node | undefined} The fields; `undefined` for an operation without credentials. */
export function showCredentials({ schemes }) {
  if (schemes.length === 0) {
    return undefined;
  }
  const session = storage('sessionStorage')?.getItem(TOKEN_KEY);
  return element('fieldset', { class: 'credentials' },
    element('legend', {}, 'Credentials'),
    showField('token', 'Token', 'password'),
    session && button('Use my console session', () => useToken(session), { class: 'small' }),
    schemes.includes('basic') && [
      element('p', { class: 'hint' }, 'Without a token:'),
      showField('username', 'Username', 'text'),
      showField('password', 'Password', 'password'),
    ],
    element(
      'p', { class: 'hint' }, 'They stay in the memory of this page and are sent only to this service.',
    ),
  );
}

function showField(name, label, type) {
  const input = element('input', {
    name, type, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none', value: typed[name],
    input: () => { typed[name] = input.value; },
  });
  return element('label', { class: 'field' }, element('span', {}, label), input);
}

/** Encodes a text as UTF-8, which the service expects, and then as base64. */
function toBase64(text) {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
