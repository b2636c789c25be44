/**
 * An administrator sends a one-time link to a user, who then chooses a password. The secret of a link stands
 * after `#`, so browsers never send the secret to a server.
 */
import { element } from '../shared/elements.js';
import { draw, emptyState, heading, isolate, time } from './dom.js';
import { createForm, showSecret, toAccountField, toPasswordField } from './form.js';
import { enter } from './sign-in.js';

/** @type {(id: number) => import('./api.js').Call} */
export function toPasswordLink(id) {
  return { method: 'POST', path: ['users', id, 'password_link'] };
}

/** @type {(username: string, made: { link: string, expiration_date: string }) => void} */
export function showNewLink(username, { link, expiration_date: expires }) {
  showSecret(
    `A password link for ${username}`,
    'Send the link over a safe channel: everybody who has the link can set the password. '
      + 'The link is shown only once.',
    new URL(link, location.origin).href, 'the link', ['Works', 'Once'], ['Expires', time(expires)],
  );
}

/** @type {(page: HTMLElement, path: readonly string[]) => void} */
export function showPasswordLink(page, [id = '', username = '', secret = '']) {
  if (secret === '') {
    draw(page, heading('Set your password'), emptyState('Open your link again, or ask for a new link.'));
    return;
  }
  const password = toPasswordField('password', 'New password', 'new-password');
  const form = createForm({
    fields: [
      toAccountField('username', 'Account', username),
      { ...password, attributes: { ...password.attributes, 'data-first': true } },
    ],
    submit: 'Set password',
    refusal: 'The link has expired or was used. Ask for a new link',
    toCall: ({ password = '' }) => ({
      method: 'PUT', path: ['users', id, 'password'], body: { password },
      authorization: `Bearer ${secret}`,
    }),
    done: (_, { password: chosen = '' }) => enter(username, chosen),
  });
  draw(page, element('div', { class: 'door' }, heading('Set your password'), element(
    'p', {}, 'Choose the password of the account ', isolate(username), ` at ${location.host}.`,
  ), form));
}
