/** This page keeps typed credentials only in memory. The samples on this page never show secrets. */
import { button, element, storage, TOKEN_KEY } from '../shared/elements.js';

/** Without a username, the secret is a token. With a username, the secret is a password or a token. */
const typed = { username: '', secret: '' };

export function useToken(token) {
  Object.assign(typed, { username: '', secret: token });
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll('.credentials input')
  )) {
    field.value = typed[field.name];
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

const isTyped = () => typed.username !== '' || typed.secret !== '';

/**
 * Returns the kind of credentials in a sample. Until the reader types credentials, this is a kind that the
 * operation always accepts.
 *
 * @returns {'token' | 'password' | 'none'}
 */
export function kindFor({ access, schemes, needsPassword }) {
  if (schemes.length === 0 || (access === 'optional' && !isTyped())) {
    return 'none';
  }
  const isPassword = isTyped() ? typed.username !== '' : needsPassword;
  return schemes.includes('basic') && isPassword ? 'password' : 'token';
}

/** @returns {string | undefined} */
export function toAuthorization(operation) {
  switch (isTyped() ? kindFor(operation) : 'none') {
    case 'token':
      return typed.secret === '' ? undefined : `Bearer ${typed.secret.trim()}`;
    case 'password':
      return `Basic ${toBase64(`${typed.username}:${typed.secret}`)}`;
    default:
      return undefined;
  }
}

/** @returns {Node | undefined} */
export function showCredentials({ schemes }) {
  if (schemes.length === 0) {
    return undefined;
  }
  const session = storage('sessionStorage')?.getItem(TOKEN_KEY);
  const acceptsPassword = schemes.includes('basic');
  return element('fieldset', { class: 'credentials' },
    element('legend', {}, 'Credentials'),
    acceptsPassword && showField('username', 'text', 'Username (leave it empty for a token)'),
    showField('secret', 'password', acceptsPassword ? 'Password or token' : 'Token'),
    session && button('Use my console session', () => useToken(session), { class: 'small' }),
    element(
      'p', { class: 'hint' },
      'The credentials stay in the memory of this page, and are sent only to this service.',
    ),
  );
}

function showField(name, type, label) {
  const input = element('input', {
    name, type, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none', value: typed[name],
    input: () => { typed[name] = input.value; },
  });
  return element('label', { class: 'field' }, element('span', {}, label), input);
}

/** The service expects base64 of UTF-8. */
function toBase64(text) {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
