/**
 * The list of tokens. Users see their own tokens, and administrators see all tokens. The console shows a new
 * token once, and does not store the token.
 */
/** @import { Bulk } from './bulk.js' */
/** @import { Values } from './drafts.js' */
/** @import { Column } from './list.js' */
/** @import { Token } from './rows.js' */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { me } from './api.js';
import { announce, createChoice, time, toDate } from './dom.js';
import { openForm, showSecret } from './form.js';
import { CREATED, createFilter, createInput, createUserFilter, showList } from './list.js';
import { toExpiry, toOwnerCell, toScope, toToken } from './rows.js';
import { endSession } from './sign-in.js';

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

/** Revoking the token of this session ends the session, so this token has no checkbox. @type {Bulk<Token>} */
const BULK = {
  noun: 'token',
  toName: ({ name, last_four: end }) => `${name || 'Unnamed'} …${end}`,
  isSelectable: ({ id }) => id !== me()?.token?.id,
  actions: [{
    id: 'revoke', title: 'Revoke', past: 'revoked', isDangerous: true,
    words: "Programs that use these tokens will stop working. This can't be undone.",
    toCall: ({ id }) => ({ method: 'DELETE', path: ['tokens', id] }),
  }],
};

/** @param {Screen} screen */
export function show(screen) {
  const { query } = screen;
  const isAdmin = me()?.is_admin === true;
  /** @type {Column<Token>} */
  const owner = {
    title: 'Owner', class: 'owner',
    cell: ({ username = query.get('username') ?? '' }) => toOwnerCell(username),
  };
  const reload = showList(screen, {
    title: 'Tokens',
    name: 'tokens',
    defaults: () => (isAdmin && !query.get('username') ? { all_users: 'true' } : {}),
    columns: [
      ...COLUMNS.slice(0, 1), ...isAdmin ? [owner] : [], ...COLUMNS.slice(1),
      { title: element('span', { class: 'unseen' }, 'Action'), cell: toRevoke },
    ],
    create: createToken,
    filters: [
      createFilter(query, 'last_four', 'Last four characters', createInput({
        'placeholder': 'Or the whole token', 'aria-keyshortcuts': '/',
      }), (text) => ({ last_four: text.length < 4 ? '' : text.slice(-4) })),
      ...isAdmin ? [createUserFilter(query, 'username', 'Tokens of', 'Everyone')] : [],
      createFilter(query, 'long_lived', 'Lifetime', createChoice([
        ['', 'All'], ['true', 'More than a day'],
      ])),
    ],
    bulk: BULK,
  });

  /** @param {Token} token */
  function toRevoke(token) {
    const title = `Revoke ${BULK.toName(token)}`;
    return button('Revoke', () => revoke(title, token.id), {
      'class': 'danger quiet small', 'id': `revoke-${token.id}`, 'aria-label': title,
    });
  }

  /** @type {(title: string, id: number) => void} */
  function revoke(title, id) {
    const isInUse = id === me()?.token?.id;
    openForm(title, {
      submit: 'Revoke',
      isDangerous: true,
      toCall: () => ({ method: 'DELETE', path: ['tokens', id] }),
      done: () => {
        (isInUse ? endSession : reload)();
        announce('Revoked', 'shown');
      },
    }, `Programs that use this token will stop working${isInUse ? ', and you will be signed out' : ''}. `
      + "This can't be undone.");
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
            ['read_only', 'Read-only: can only view'], ['full', 'Full access: everything you can do'],
            ['identity', 'Identity: only tells a program who you are'],
          ],
        },
        {
          name: 'use', label: 'Use', type: 'select',
          choices: [['one', 'For one program'], ['any', 'For any program, and for Rollcall itself']],
        },
        {
          name: 'audience/0', label: 'Host of the program', attributes: { required: true },
          hint: 'For example “wiki.example.org”. Programs at other hosts refuse the token.',
          applies: ({ use }) => use === 'one',
        },
      ],
      ownPassword: (values) => Date.now() + toLifetimeSeconds(values) * 1000 > sessionEndsAtMs,
      submit: 'Create token',
      toCall: (values) => ({
        method: 'POST', path: ['tokens'],
        body: {
          name: values['name'], expiration: toLifetimeSeconds(values), scope: values['scope'],
          ...(values['use'] === 'one' && { audience: [values['audience/0']] }),
        },
      }),
      done: ({ body }) => {
        showSecret(
          'Your new token', 'Copy the token now, and keep it like a password. The token is shown only once.',
          body.token, 'the token', ['Scope', toScope(body)],
          ['Use', body.audience?.join(', ') ?? 'Any program, and Rollcall itself'],
          ['Expires', time(body.expiration_date)],
        );
        reload();
      },
    }, 'You need your password to make a token that is still valid after this session.');
  }
}

/** @param {Values} values */
function toLifetimeSeconds({ expiration, unit = '' }) {
  return Number(expiration) * (SECONDS[unit] ?? 1);
}
