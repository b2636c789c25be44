/**
 * Tokens: users see their own, and administrators see everyone's. The text of a new token is shown once and
 * stored nowhere.
 */
/** @import { Call } from './api.js' */
/** @import { Bulk } from './bulk.js' */
/** @import { Column } from './list.js' */
/** @import { Token } from './rows.js' */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { announce, buttons, copyable, createChoice, emptyState, facts, time, toDate } from './dom.js';
import { holdOpen, openDialog, openForm } from './form.js';
import {
  CREATED, createFilter, createInput, createTable, createUserFilter, explainUnknownUser, put, showList,
} from './list.js';
import { createRedZone } from './record.js';
import { toExpiry, toOwnerCell, toScope, toToken } from './rows.js';
import { endSession, me, toBasic, toOwnPasswordFields, WRONG_PASSWORD } from './sign-in.js';

/** @type {Record<string, number>} */
const SECONDS = { minutes: 60, hours: 3600, days: 86_400 };

/** @type {readonly Column<Token>[]} */
const COLUMNS = [
  { title: 'Token', cell: toToken },
  { title: 'Scope', cell: toScope, class: 'wide' },
  { title: 'Expires', sort: 'expiration_date', cell: toExpiry },
  { title: 'Last used', cell: ({ last_used: used }) => time(used), class: 'wide' },
  { title: 'Created', cell: CREATED.cell, class: 'wide' },
];

/** @type {Column<Token>} */
const OWNER = { title: 'Owner', class: 'owner', cell: ({ username = '' }) => toOwnerCell(username) };

/**
 * Users may paste whole tokens, but only the last four characters are sent or put into the address.
 *
 * @param {string} text
 * @returns {string} Empty until there are four characters.
 */
function toLastFour(text) {
  const end = text.trim().slice(-4);
  return end.length < 4 ? '' : end;
}

/** @param {readonly Token[]} tokens */
export function createTokenTable(tokens) {
  return createTable({ caption: 'Valid tokens', columns: COLUMNS, items: tokens });
}

/** @type {Bulk<Token>} The token of this session is not selectable: revoking it would end the session. */
const BULK = {
  noun: 'token',
  toName: ({ name, last_four: end }) => `${name || 'Unnamed'} …${end}`,
  isSelectable: ({ id }) => id !== me()?.token?.id,
  actions: [{
    id: 'revoke', title: 'Revoke', past: 'revoked', isDangerous: true,
    words: "Anything using these tokens will stop working. This can't be undone.",
    toCall: ({ id }) => ({ method: 'DELETE', path: ['tokens', id] }),
  }],
};

/** Administrators see everyone's tokens, or the tokens of one user. @param {Screen} screen */
export function showTokens(screen) {
  const { query } = screen;
  const isAdmin = me()?.is_admin === true;
  const ofAll = () => isAdmin && !query.has('username');
  const end = createInput({
    'id': 'search', 'aria-keyshortcuts': '/', 'aria-label': 'Last four characters',
    'placeholder': 'A token, or its last four characters', 'value': query.get('last_four'),
  });
  const words = element('span');
  const revokeButton = button('Revoke all', revokeAll, { id: 'revoke-all', class: 'danger' });
  const redZone = createRedZone([words, revokeButton]);
  const reload = showList(screen, {
    title: 'Tokens',
    name: 'tokens',
    defaults: () => (ofAll() ? { all_users: 'true' } : {}),
    columns: [
      ...COLUMNS.slice(0, 1), { ...OWNER, isShown: ofAll }, ...COLUMNS.slice(1),
      { title: element('span', { class: 'unseen' }, 'Action'), cell: toRevoke },
    ],
    actions: [
      button('New token', createToken, { 'id': 'new', 'class': 'primary', 'aria-keyshortcuts': 'n' }),
    ],
    filters: [
      {
        row: element('div', { class: 'filter search' }, end, element('kbd', { 'aria-hidden': 'true' }, '/')),
        write: (parameters) => put(parameters, 'last_four', toLastFour(end.value)),
      },
      ...(isAdmin ? [
        createUserFilter(query, 'username', 'Tokens of', 'Everyone'),
      ] : []),
      createFilter(query, 'long_lived', 'Lifetime', createChoice([
        ['', 'All'], ['true', 'More than a day'],
      ])),
    ],
    empty: emptyState('No valid tokens.', button('Create a token', createToken, { class: 'primary' })),
    explain: explainUnknownUser,
    noMatch: () => (query.has('last_four') ? `No valid token ends in “${query.get('last_four')}”.`
      : query.has('long_lived') ? 'No valid token lives for more than a day.'
      : `${query.get('username')} has no valid tokens.`),
    bulk: BULK,
    shown: () => {
      redZone.hidden = ofAll();
      const owner = isOwn() ? 'yours' : query.get('username');
      words.textContent = `Revoke every token of ${owner} at once.`;
    },
  });
  screen.page.append(redZone);

  function isOwn() {
    return !query.has('username') || query.get('username') === me()?.username;
  }

  /** @param {Token} token */
  function toRevoke(token) {
    const words = `Revoke ${token.name} …${token.last_four}`;
    return button('Revoke', () => revokeOne(token), {
      'class': 'danger quiet small', 'id': `revoke-${token.id}`, 'aria-label': words,
    });
  }

  function createToken() {
    const sessionEndsAtMs = toDate(me()?.token?.expiration_date ?? '').getTime();
    openForm('New token', {
      fields: [
        { name: 'name', label: 'Name', hint: 'The purpose, such as “nightly report”.' },
        {
          name: 'expiration', label: 'Lifetime', type: 'number', value: '1',
          attributes: { required: true, min: 1 },
        },
        {
          name: 'unit', label: 'Unit', type: 'select',
          choices: [['days', 'Days'], ['hours', 'Hours'], ['minutes', 'Minutes']],
        },
        {
          name: 'scope', label: 'Scope', type: 'select',
          choices: [
            ['read_only', 'Read-only: can view, not change'], ['full', 'Full access: everything you can do'],
            ['identity', 'Identity: tells a program who you are, nothing else'],
          ],
        },
        {
          name: 'use', label: 'Use', type: 'select',
          choices: [['one', 'For one program'], ['any', 'For any program, and for Rollcall itself']],
        },
        {
          name: 'audience/0', label: 'Host of the program', attributes: { required: true },
          hint: 'As in its address, such as “wiki.example.org”. All others refuse the token.',
          applies: ({ use }) => use === 'one',
        },
        ...toOwnPasswordFields(
          (values) => Date.now() + toLifetimeSeconds(values) * 1000 > sessionEndsAtMs,
        ),
      ],
      submit: 'Create token',
      refusal: WRONG_PASSWORD,
      toCall: (values) => ({
        method: 'POST', path: ['tokens'],
        body: {
          name: values['name'], expiration: toLifetimeSeconds(values), scope: values['scope'],
          ...(values['use'] === 'one' && { audience: [values['audience/0']] }),
        },
        ...('own_password' in values && { authorization: toBasic(me()?.username, values['own_password']) }),
      }),
      done: ({ body }) => {
        showNewToken(body);
        reload();
      },
    }, element('p', {}, 'A token that outlives this session needs your password.'));
  }

  /** @param {import('./drafts.js').Values} values */
  function toLifetimeSeconds({ expiration, unit = '' }) {
    return Number(expiration) * (SECONDS[unit] ?? 1);
  }

  /** @param {Token} token */
  function revokeOne({ id, name, last_four: end }) {
    revoke(`Revoke ${name} …${end}`, { path: ['tokens', id] }, id === me()?.token?.id);
  }

  function revokeAll() {
    const username = query.get('username') ?? '';
    const title = isOwn() ? 'Revoke all your tokens' : `Revoke all tokens of ${username}`;
    revoke(title, { path: ['tokens'], query: isOwn() ? {} : { username } }, isOwn());
  }

  /**
   * @param {string} title
   * @param {Call} call
   * @param {boolean} isInUse - Whether this console uses the token.
   */
  function revoke(title, call, isInUse) {
    const loss = isInUse ? ', and you will be signed out' : '';
    openForm(title, {
      submit: 'Revoke',
      isDangerous: true,
      toCall: () => ({ method: 'DELETE', ...call }),
      done: () => {
        (isInUse ? endSession : reload)();
        announce('Revoked', 'shown');
      },
    }, element('p', {}, `Anything using this token will stop working${loss}. This can't be undone.`));
  }
}

/**
 * @param {Token & { token: string }} issued - The text of the token cannot be shown again, so Escape does
 *   not close the dialog.
 */
function showNewToken({ token, scope, audience, expiration_date: expires }) {
  const warning = element('p', { class: 'hint', role: 'status' });
  const dialog = openDialog(
    'Your new token',
    element('p', {}, "Copy it now and keep it like a password: you won't see it again."),
    copyable(token, 'the token'),
    facts(
      ['Scope', toScope({ scope })], ['Use', audience?.join(', ') ?? 'Any program, and Rollcall itself'],
      ['Expires', time(expires)],
    ),
    warning,
    buttons(button('Done', () => dialog.close(), { class: 'primary' })),
  );
  holdOpen(dialog, () => { warning.textContent = 'Copy the token first, then choose Done.'; });
}
