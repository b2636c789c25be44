/**
 * The screens of users: the list, a single user, and the forms that change an account. Actions that the
 * signed-in user may not perform are hidden.
 */
/** @import { Bulk } from './bulk.js' */
/** @import { Choices } from './dom.js' */
/** @import { Field } from './form.js' */
/** @import { Change } from './record.js' */
/** @import { Screen } from './screen.js' */
/** @import { Project, Token, User } from './rows.js' */
/** @import { Column } from './list.js' */
/** @import { Answer, Call } from './api.js' */
/** @import { Child } from '../shared/elements.js' */
/** @import { AuditEvent } from './events.js' */
import { button, createCopyButton, element } from '../shared/elements.js';
import { request } from './api.js';
import {
  announce, avatar, createChoice, createTabs, draw, emptyState, facts, isolate, link, soft, time, toCount,
  toHash,
} from './dom.js';
import { createEvents } from './events.js';
import { NAME, openForm, toPatch } from './form.js';
import { CREATED, createFilter, createSearch, createTable, readSearch, showList } from './list.js';
import { showNewLink, toPasswordLink } from './password-link.js';
import { createRedZone, showRecord, toDeletions } from './record.js';
import { countProjects, toBadges, toPerson } from './rows.js';
import { createReader } from './screen.js';
import {
  endSession, me, NEW_USER_FIELDS, refreshMe, toAccountField, toBasic, toOwnAuthorization, toOwnPasswordField,
  toOwnPasswordFields, toPasswordField,
  WRONG_PASSWORD,
} from './sign-in.js';
import { createTokenTable } from './tokens.js';

const SHOWN_MAX = 10;

const DISABLING = "They won't be able to sign in and their tokens stop working. Nothing is deleted.";
const ENABLING = 'They will be able to sign in again, and their tokens work again.';

/** @type {readonly Column<Project>[]} */
const PROJECT_COLUMNS = [
  { title: 'Name', cell: ({ id, name }) => link(toHash(['projects', id]), isolate(name)) },
  { ...CREATED, class: '' },
];

/** @param {Screen} screen */
export function showUsers(screen) {
  if (screen.path.length > 0) {
    const changed = (/** @type {Record<string, any>} */ { id }) => id === me()?.id && refreshMe();
    showRecord(screen, {
      resource: 'users', title: 'Users', nameMember: 'username',
      toContent: (record, change) => toContent(record, change, screen), changed,
    });
    return;
  }
  const { query } = screen;
  showList(screen, {
    title: 'Users',
    name: 'users',
    columns: [
      { title: 'User', sort: 'username', cell: toPerson },
      { title: 'Role', cell: toBadges },
      {
        title: 'Projects',
        cell: (/** @type {User} */ user) => {
          const [count, unit] = toCount(countProjects(user), 'project').split(' ');
          return [count, element('span', { class: 'unit' }, ` ${unit}`)];
        },
        class: 'number',
      },
      CREATED,
    ],
    actions: [
      me()?.is_admin && button('New user', createUser, {
        'id': 'new', 'class': 'primary', 'aria-keyshortcuts': 'n',
      }),
    ],
    filters: [
      createSearch(query, 'Username', 'Search users'),
      createFilter(query, 'role', 'Role', createChoice(ROLES)),
      createFilter(query, 'state', 'State', createChoice(me()?.is_admin ? ADMINISTRATOR_STATES : STATES)),
    ],
    gone: toDeletions('user'),
    noMatch: (parameters) => (parameters.has('role') || parameters.has('state')
      ? 'No user matches these filters.'
      : `No username ${readSearch(parameters) ?? 'matches'}.`),
    ...(me()?.is_admin && { bulk: BULK }),
  });
}

/** @type {Choices} */
const ROLES = [['', 'All'], ['administrator', 'Administrators'], ['user', 'Users']];
/** @type {Choices} */
const STATES = [['', 'All'], ['enabled', 'Enabled'], ['disabled', 'Disabled']];
/** @type {Choices} */
const ADMINISTRATOR_STATES = [...STATES, ['invited', 'Invited: no password yet']];

/**
 * The own account is not selectable: most actions on it would end the session. Administrators are changed one
 * by one, because each change needs the password.
 *
 * @type {Bulk<User>}
 */
const BULK = {
  noun: 'user',
  toName: ({ username }) => username,
  isSelectable: ({ id, is_admin: isAdmin }) => id !== me()?.id && !isAdmin,
  actions: [
    {
      id: 'disable', title: 'Disable', past: 'disabled', isDangerous: true, words: DISABLING,
      applies: ({ disabled }) => !disabled, toCall: ({ id }) => toChange(id, { disabled: true }),
    },
    {
      id: 'enable', title: 'Enable', past: 'enabled', words: ENABLING,
      applies: ({ disabled }) => disabled, toCall: ({ id }) => toChange(id, { disabled: false }),
    },
  ],
};

/**
 * @param {number} id
 * @param {Record<string, unknown>} body
 * @returns {Call}
 */
function toChange(id, body) {
  return { method: 'PATCH', path: ['users', id], body };
}

/** An invitation is a user without a password, and a link to set one. If the link fails, the user stays. */
function createUser() {
  const isInvited = (/** @type {import('./drafts.js').Values} */ { by }) => by !== 'password';
  openForm('New user', {
    fields: [
      ...NEW_USER_FIELDS.filter(({ type }) => type !== 'password'),
      {
        name: 'by', label: 'Password', type: 'select',
        choices: [['link', 'They choose it, with a link from you'], ['password', 'You choose it now']],
      },
      ...NEW_USER_FIELDS.filter(({ type }) => type === 'password').map((field) => (
        { ...field, applies: (/** @type {import('./drafts.js').Values} */ values) => !isInvited(values) }
      )),
    ],
    submit: 'Create user',
    toCall: ({ by: _, ...body }) => ({ method: 'POST', path: ['users'], body }),
    done: async ({ body: { id, username } }, values) => {
      location.hash = toHash(['users', id]);
      announce(`${username} was created`, 'shown');
      if (isInvited(values)) {
        await request(toPasswordLink(id)).then(
          ({ body }) => showNewLink(username, body),
          ({ message }) => announce(`${username} was created, but has no link: ${message}`, 'shown'),
        );
      }
    },
  });
}

/**
 * @param {Record<string, any>} record
 * @param {Change} change
 * @param {Screen} screen
 */
function toContent(record, change, { signal }) {
  const user = /** @type {User} */ (record);
  const { id, username, email, date_created: created, is_admin: isAdmin, disabled, invited, projects } = user;
  const path = ['users', id];
  const caller = me();
  const isOwn = id === caller?.id;
  const mayChange = isOwn || caller?.is_admin === true;
  const count = countProjects(user);
  const address = isolate(email);
  return {
    mark: avatar(username),
    badges: toBadges(user),
    below: element(
      'span', { class: 'with-copy' }, address,
      createCopyButton('the email address', () => address, (words) => announce(words, 'shown')),
    ),
    actions: mayChange && [
      !isOwn && button('Password link', createLink, { id: 'password-link' }),
      button('Change password', changePassword, { id: 'password' }),
      button('Edit', edit, { id: 'edit', class: 'primary' }),
    ],
    parts: [
      facts(
        ['ID', String(id)],
        ['Created', time(created)],
        ['Role', isAdmin ? 'Administrator' : 'User'],
        ['State', disabled ? element('strong', { class: 'bad' }, 'Disabled: cannot sign in')
          : invited ? 'Invited: has not set a password yet' : 'Enabled'],
      ),
      !mayChange && element('p', {}, soft('Only this user or an administrator can change this account.')),
      createTabs('Parts', [
        [`Projects (${count})`, createProjects()],
        ...(mayChange ? [
          createPanel(
            'Tokens', { path: ['tokens'], query: { username, items_per_page: String(SHOWN_MAX) } },
            showTokens,
          ),
        ] : []),
        ...(caller?.is_admin ? [
          createPanel(
            'Activity',
            {
              path: ['audit_events'],
              query: { user_id: String(id), sort: '-id', items_per_page: String(SHOWN_MAX) },
            },
            showActivity,
          ),
        ] : []),
      ]),
      mayChange && createRedZone(
        caller?.is_admin && [
          isAdmin ? 'Demote to a plain user.' : 'Promote to administrator.',
          button(isAdmin ? 'Demote' : 'Promote', changeRole, { id: 'role' }),
        ],
        caller?.is_admin && [
          disabled ? 'Let this user sign in again.' : 'Disable this user without deleting anything.',
          button(disabled ? 'Enable' : 'Disable', changeState, { id: 'state' }),
        ],
        ['Delete this account for good.', button('Delete', remove, { id: 'delete', class: 'danger' })],
      ),
    ],
  };

  function createProjects() {
    return element(
      'div', {},
      count === 0
        ? emptyState('No projects yet.')
        : createTable({ caption: 'Projects', columns: PROJECT_COLUMNS, items: projects.slice(0, SHOWN_MAX) }),
      count > SHOWN_MAX && element(
        'p', {}, link(toHash(['projects'], { owner: username }), `All ${count} projects`),
      ),
    );
  }

  /**
   * @param {string} title
   * @param {Call} call
   * @param {(body: any) => readonly Child[]} toParts
   * @returns {[title: string, panel: HTMLElement, shown: () => unknown]}
   */
  function createPanel(title, call, toParts) {
    const place = element('div');
    const show = (/** @type {Answer} */ { body }) => draw(place, ...toParts(body));
    return [title, place, () => createReader({ place, signal, toCall: () => call, show })];
  }

  /** @param {{ tokens: readonly Token[] }} body */
  function showTokens({ tokens }) {
    return [
      tokens.length === 0 ? emptyState('No valid tokens.') : createTokenTable(tokens),
      element('p', {}, link(toHash(['tokens'], isOwn ? {} : { username }), 'Manage tokens')),
    ];
  }

  /** @param {{ audit_events: readonly AuditEvent[] }} body */
  function showActivity({ audit_events: events }) {
    return [
      events.length === 0 ? emptyState('No activity yet.') : createEvents(events),
      element('p', {}, link(toHash(['audit'], { user_id: String(id) }), 'Everything this user did')),
    ];
  }

  function edit() {
    change('Edit', {
      fields: [
        { name: 'username', label: 'Username', value: username, attributes: NAME },
        { name: 'email', label: 'Email', type: 'email', value: email, attributes: NAME },
        toOwnPasswordField((values) => values['username'] !== username),
      ],
      submit: 'Save',
      refusal: WRONG_PASSWORD,
      toCall: ({ own_password: password, ...values }, target) => ({
        ...toPatch(values, target), ...toOwnAuthorization({ ...(password && { own_password: password }) }),
      }),
    });
  }

  function changeRole() {
    const words = isAdmin
      ? 'The account and its projects stay.'
      : 'Administrators can change every user and every project.';
    change(isAdmin ? 'Demote' : 'Promote', {
      fields: toOwnPasswordFields(),
      submit: isAdmin ? 'Demote' : 'Promote',
      refusal: WRONG_PASSWORD,
      toCall: (values) => ({ ...toChange(id, { is_admin: !isAdmin }), ...toOwnAuthorization(values) }),
    }, words, isOwn && element(
      'strong', {}, 'This is your own account: you will no longer be an administrator.',
    ));
  }

  function changeState() {
    change(disabled ? 'Enable' : 'Disable', {
      fields: isAdmin ? toOwnPasswordFields() : [],
      submit: disabled ? 'Enable' : 'Disable',
      refusal: WRONG_PASSWORD,
      toCall: (values) => ({ ...toChange(id, { disabled: !disabled }), ...toOwnAuthorization(values) }),
    }, disabled ? ENABLING : DISABLING, isOwn && element(
      'strong', {},
      'This is your own account: you will be signed out, and only another administrator can enable it.',
    ));
  }

  function changePassword() {
    change('Change the password of', {
      fields: [
        toAccountField(username),
        ...(isOwn ? [toPasswordField('current_password', 'Current password', 'current-password')] : []),
        toPasswordField('password', 'New password', 'new-password'),
        ...(isAdmin && !isOwn ? [toOwnPasswordField()] : []),
      ],
      submit: 'Change password',
      refusal: WRONG_PASSWORD,
      toCall: ({ username: _, own_password: password, ...body }) => ({
        method: 'PUT', path: [...path, 'password'], body,
        ...toOwnAuthorization({ ...(password && { own_password: password }) }),
      }),
    }, isOwn ? 'This revokes all your other tokens.' : 'This revokes all their tokens.');
  }

  /** A link for an administrator needs the caller's own password, because tokens may be stolen. */
  function createLink() {
    change('Make a password link for', {
      fields: isAdmin ? toOwnPasswordFields() : [],
      submit: 'Make link',
      refusal: WRONG_PASSWORD,
      toCall: ({ own_password: password }) => ({
        ...toPasswordLink(id), ...(isAdmin && { authorization: toBasic(caller?.username, password) }),
      }),
      done: ({ body }) => showNewLink(username, body),
    }, 'The link sets a new password, once, within a day. An older link stops working.');
  }

  /** The form says what will be lost. If the tokens cannot be counted, it does not mention them. */
  async function remove() {
    const call = { path: ['tokens'], query: { username, items_per_page: '1' } };
    const total = (await request(call).catch(() => undefined))?.total;
    const lost = total?.count ? ` and ${toCount(total.count, 'valid token', total.relation)}` : '';
    change('Delete', {
      fields: [
        ...(count === 0 ? [] : ownedProjectsFields()),
        ...(isOwn || isAdmin ? toOwnPasswordFields() : []),
      ],
      submit: 'Delete user',
      isDangerous: true,
      refusal: WRONG_PASSWORD,
      toCall: ({ owned_projects: choice, new_owner: owner, own_password: password }) => ({
        method: 'DELETE', path, query: {
          ...(choice && { owned_projects: choice }), ...(owner && { new_owner: owner }),
        },
        ...toOwnAuthorization({ ...(password && { own_password: password }) }),
      }),
      done: () => {
        if (isOwn) {
          endSession();
        } else {
          location.hash = toHash(['users']);
        }
        announce(`${username} was deleted`, 'shown');
      },
    }, `Deletes the account${lost}. The name stays in the audit trail. This can't be undone.`);
  }

  /** @returns {readonly Field[]} */
  function ownedProjectsFields() {
    const its = toCount(count, 'project');
    return [
      {
        name: 'owned_projects', label: 'What happens to their projects', type: 'select', attributes: {
          required: true,
        },
        choices: [
          ['', 'Choose…'], ['delete', `Delete ${its} too`],
          ...(caller?.is_admin ? [/** @type {const} */ (['transfer', `Transfer ${its}`])] : []),
        ],
      },
      {
        name: 'new_owner', label: 'New owner', suggestsUsers: true, hint: 'A username.', attributes: NAME,
        applies: ({ owned_projects: choice }) => choice === 'transfer',
      },
    ];
  }
}
