/**
 * One-time links for passwords. An administrator makes a link and passes it on, and its reader chooses a
 * password. The secret of a link stands after `#`, so browsers send it to no server.
 */
import { button, element } from '../shared/elements.js';
import { announce, buttons, copyable, draw, facts, heading, isolate, time } from './dom.js';
import { createForm, holdOpen, openDialog } from './form.js';
import { toAccountField, toPasswordField, welcome } from './sign-in.js';

/**
 * @param {number} id - The id of the user.
 * @returns {import('./api.js').Call}
 */
export function toPasswordLink(id) {
  return { method: 'POST', path: ['users', id, 'password_link'] };
}

/**
 * @param {string} username
 * @param {{ link: string, expiration_date: string }} made - It cannot be shown again.
 */
export function showNewLink(username, { link, expiration_date: expires }) {
  const warning = element('p', { class: 'hint', role: 'status' });
  const dialog = openDialog(
    `A password link for ${username}`,
    element(
      'p', {}, "Pass it on over a safe channel: its reader can set the password. You won't see it again.",
    ),
    copyable(new URL(link, location.origin).href, 'the link'),
    facts(['Works', 'Once'], ['Expires', time(expires)]),
    warning,
    buttons(button('Done', () => dialog.close(), { class: 'primary' })),
  );
  holdOpen(dialog, () => { warning.textContent = 'Copy the link first, then choose Done.'; });
}

/**
 * The page that a link opens. The address loses the secret at once, so that the history does not keep it.
 *
 * @param {HTMLElement} page
 * @param {readonly string[]} path - The id of the user, the username, and the secret.
 */
export function showPasswordLink(page, [id = '', username = '', secret = '']) {
  const form = createForm({
    fields: [toAccountField(username), toPasswordField('password', 'New password', 'new-password')],
    submit: 'Set password',
    refusal: 'The link has expired or was used. Ask for a new one',
    toCall: ({ password = '' }) => ({
      method: 'PUT', path: ['users', id, 'password'], body: { password },
      authorization: `Bearer ${secret}`,
    }),
    done: () => {
      welcome(username);
      announce('Your password is set. Sign in to continue.', 'shown');
    },
  });
  draw(page, element('div', { class: 'door' }, heading('Set your password'), element(
    'p', {}, 'The password is for the account ', isolate(username), '.',
  ), form));
}
