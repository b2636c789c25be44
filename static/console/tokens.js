/** Tokens: those of the caller, or for administrators anyone's. The text of a new one is shown once and kept nowhere. */
/** @import { Call } from './api.js' */
/** @import { ListOptions, Screen } from './screen.js' */
import { announce, button, buttons, copyable, element, facts, isolate, soft, time } from './dom.js';
import { openDialog, openForm } from './form.js';
import { CREATED, createFilter, createInput, showList } from './screen.js';
import { endSession, me } from './sign-in.js';

/**
 * @typedef {{ id: number, name: string, last_four: string, scope: 'full' | 'read_only', date_created: string,
 *   expiration_date: string, last_used: string | null }} Token
 */

/** @type {Record<string, number>} */
const SECONDS = { minutes: 60, hours: 3600, days: 86_400 };

/** @param {Screen} screen */
export function showTokens(screen) {
  const owner = createInput({ 'id': 'search', 'placeholder': me()?.username, 'aria-keyshortcuts': '/' });
  /** @type {ListOptions<Token>} */
  const options = {
    title: 'Tokens',
    caption: 'Valid tokens',
    name: 'tokens',
    columns: [
      { title: 'Name', cell: ({ id, name }) => element('span', {}, name === '' ? soft('unnamed') : isolate(name), id === me()?.token?.id && element('em', {}, 'this console')) },
      { title: 'Ends in', cell: ({ last_four: end }) => element('code', {}, end) },
      { title: 'Scope', cell: toScope },
      CREATED,
      { title: 'Expires', cell: ({ expiration_date: expires }) => time(expires) },
      { title: 'Last used', cell: ({ last_used: used }) => time(used) },
      { title: 'Action', cell: (token) => button('Revoke', () => revokeOne(token), { 'class': 'danger small', 'id': `revoke-${token.id}`, 'aria-label': `Revoke ${token.name} …${token.last_four}` }) },
    ],
    actions: [
      button('Revoke all', revokeAll, { id: 'revoke-all', class: 'danger' }),
      button('New token', createToken, { 'id': 'new', 'class': 'primary', 'aria-keyshortcuts': 'n' }),
    ],
    filters: me()?.is_admin ? [createFilter(screen.query, 'username', 'Tokens of', owner)] : [],
  };
  const reload = showList(screen, options);

  function createToken() {
    openForm('New token', {
      fields: [
        { name: 'name', label: 'Name', hint: 'What it is for, such as “nightly report”.' },
        { name: 'expiration', label: 'Lifetime', type: 'number', value: '1', attributes: { required: true, min: 1 } },
        { name: 'unit', label: 'Unit', type: 'select', choices: [['days', 'Days'], ['hours', 'Hours'], ['minutes', 'Minutes']] },
        { name: 'scope', label: 'Scope', type: 'select', choices: [['read_only', 'Read only: what GET does'], ['full', 'Full: everything that you may do']] },
      ],
      submit: 'Create token',
      toCall: ({ name, expiration, unit = '', scope }) => ({
        method: 'POST', path: ['tokens'], body: { name, expiration: Number(expiration) * (SECONDS[unit] ?? 1), scope },
      }),
      done: ({ body }) => {
        const dialog = openDialog(
          'Your new token',
          element('p', {}, 'It is shown only now. Copy it, and keep it like a password.'),
          copyable(body.token, 'the token'),
          facts(['Scope', toScope(body)], ['Expires', time(body.expiration_date)]),
          buttons(button('Done', () => dialog.close(), { class: 'primary' })),
        );
        reload();
      },
    });
  }

  /** @param {Token} token */
  function revokeOne({ id, name, last_four: end }) {
    revoke(`Revoke ${name} …${end}`, { path: ['tokens', id] }, id === me()?.token?.id);
  }

  function revokeAll() {
    const username = owner.value;
    const isOwn = username === '' || username === me()?.username;
    const title = isOwn ? 'Revoke all your tokens' : `Revoke all tokens of ${username}`;
    revoke(title, { path: ['tokens'], query: isOwn ? {} : { username } }, isOwn);
  }

  /**
   * @param {string} title
   * @param {Call} call
   * @param {boolean} isInUse - By this console.
   */
  function revoke(title, call, isInUse) {
    openForm(title, {
      submit: 'Revoke',
      isDangerous: true,
      toCall: () => ({ method: 'DELETE', ...call }),
      done: () => {
        (isInUse ? endSession : reload)();
        announce('Revoked', 'shown');
      },
    }, element('p', {}, isInUse ? 'This console uses it, too: you will be signed out.' : 'Who uses it is refused from then on.'));
  }
}

/** @param {Token} token */
function toScope({ scope }) {
  return scope === 'full' ? 'Full' : 'Read only';
}
