/**
 * The screens about users: the list, a single user, and the forms that change an account. The screens hide
 * actions that the signed-in user is not allowed to perform.
 */
/** @import { Bulk } from './bulk.js' */
/** @import { Choices } from './dom.js' */
/** @import { Values } from './drafts.js' */
/** @import { Field } from './form.js' */
/** @import { Change } from './record.js' */
/** @import { Screen } from './screen.js' */
/** @import { User } from './rows.js' */
/** @import { Call } from './api.js' */
import { button, element } from '../shared/elements.js';
import { me, request } from './api.js';
import {
  announce, avatar, createChoice, facts, isolate, link, soft, time, toCount, toHash,
} from './dom.js';
import { createEvents, EVENTS_READ } from './events.js';
import { NAME, openForm, toAccountField, toPasswordField, toPatch } from './form.js';
import { CREATED, createFilter, createSearch, showList } from './list.js';
import { showNewLink, toPasswordLink } from './password-link.js';
import { createRedZone, showRecord, toDeletions } from './record.js';
import { countProjects, toBadges, toPerson, toProject, toRows, toTokenRow } from './rows.js';
import { createPanel, createPart } from './screen.js';
import { endSession, NEW_USER_FIELDS, refreshMe } from './sign-in.js';

const SHOWN_MAX = 5;

const DISABLING = "A disabled user can't sign in, and the user's tokens don't work. Nothing is deleted.";
const ENABLING = "An enabled user can sign in again, and the user's tokens work again.";

/** @param {Screen} screen */
export function show(screen) {
  if (screen.path.length > 0) {
    showRecord(screen, {
      resource: 'users', title: 'Users', nameMember: 'username',
      toContent: (record, change) => toContent(/** @type {User} */ (record), change, screen),
      changed: ({ id }) => id === me()?.id && refreshMe(),
    });
    return;
  }
  const { query } = screen;
  const isAdmin = me()?.is_admin;
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
    create: isAdmin && createUser,
    filters: [
      createSearch(query, 'Username', 'Search users'),
      createFilter(query, 'role', 'Role', createChoice(ROLES)),
      createFilter(query, 'state', 'State', createChoice(isAdmin ? ADMINISTRATOR_STATES : STATES)),
    ],
    gone: toDeletions('user'),
    bulk: isAdmin && BULK,
  });
}

/** @type {Choices} */
const ROLES = [['', 'All'], ['administrator', 'Administrators'], ['user', 'Users']];
/** @type {Choices} */
const STATES = [['', 'All'], ['enabled', 'Enabled'], ['disabled', 'Disabled']];
/** @type {Choices} */
const ADMINISTRATOR_STATES = [...STATES, ['invited', 'Invited: no password yet']];

/**
 * Disabling the account of the signed-in user would end the session. To disable or enable an administrator,
 * signed-in users must enter their own password. So the rows of the signed-in user and of all administrators
 * have no checkbox.
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

/** @type {(id: number, body: Record<string, unknown>) => Call} */
function toChange(id, body) {
  return { method: 'PATCH', path: ['users', id], body };
}

/**
 * An invited user has no password, but gets a link to set a password. The user is created even if no link can
 * be made.
 */
function createUser() {
  const isInvited = (/** @type {Values} */ { by }) => by !== 'password';
  const [username, email, password] = NEW_USER_FIELDS;
  openForm('New user', {
    fields: [
      username, email,
      {
        name: 'by', label: 'Password', type: 'select',
        choices: [
          ['link', 'The user chooses the password, with a link'], ['password', 'You choose the password now'],
        ],
      },
      { ...password, applies: (values) => !isInvited(values) },
    ],
    submit: 'Create user',
    toCall: ({ by: _, ...body }) => ({ method: 'POST', path: ['users'], body }),
    done: async ({ body: { id, username } }, values) => {
      location.hash = toHash(['users', id]);
      announce(`${username} was created`, 'shown');
      if (isInvited(values)) {
        await request(toPasswordLink(id)).then(
          ({ body }) => showNewLink(username, body),
          ({ message }) => announce(`${username} was created, but no link was made: ${message}`, 'shown'),
        );
      }
    },
  });
}

/** @type {(user: User, change: Change, screen: Screen) => import('./record.js').Content} */
function toContent(user, change, { signal }) {
  const { id, username, email, is_admin: isAdmin, disabled, invited, projects } = user;
  const caller = me();
  const isOwn = id === caller?.id;
  const mayChange = isOwn || caller?.is_admin === true;
  const count = countProjects(user);
  const ofUser = { username, items_per_page: String(SHOWN_MAX) };
  const byUser = { user_id: String(id), sort: '-id', items_per_page: EVENTS_READ };
  return {
    mark: avatar(username),
    badges: toBadges(user),
    below: isolate(email),
    actions: mayChange && [
      !isOwn && button('Password link', createLink, { id: 'password-link' }),
      button('Change password', changePassword, { id: 'password' }),
      button('Edit', edit, { id: 'edit', class: 'primary' }),
    ],
    parts: [
      facts(
        ['ID', String(id)],
        ['Created', time(user.date_created)],
        ['Role', isAdmin ? 'Administrator' : 'User'],
        ['State', disabled ? element('strong', { class: 'bad' }, 'Disabled: cannot sign in')
          : invited ? 'Invited: has not set a password yet' : 'Enabled'],
      ),
      !mayChange && element('p', {}, soft('Only this user or an administrator can change this account.')),
      createPanel(
        `Projects (${count})`,
        count > SHOWN_MAX && link(toHash(['projects'], { owner: username }), 'All projects'),
        count === 0 ? soft('No projects yet.') : toRows(projects.slice(0, SHOWN_MAX).map(toProject)),
      ),
      mayChange && createPanel(
        'Tokens', link(toHash(['tokens'], isOwn ? {} : { username }), 'Manage tokens'),
        createPart(signal, { path: ['tokens'], query: ofUser }, ({ body: { tokens } }) => (
          tokens.length === 0 ? soft('No valid tokens.') : toRows(tokens.map(toTokenRow))
        )),
      ),
      caller?.is_admin && createPanel(
        'Activity', link(toHash(['audit'], { user_id: String(id) }), 'Everything this user did'),
        createPart(signal, { path: ['audit_events'], query: byUser }, ({ body }) => (
          body.audit_events.length === 0 ? soft('No activity yet.')
            : createEvents(body.audit_events, { entriesMax: SHOWN_MAX })
        )),
      ),
      mayChange && createRedZone(
        ['Revoke all tokens of this user.', button('Revoke all', revokeAll, {
          id: 'revoke-all', class: 'danger',
        })],
        caller?.is_admin && [
          isAdmin ? 'Demote this administrator to a plain user.' : 'Promote this user to administrator.',
          button(isAdmin ? 'Demote' : 'Promote', changeRole, { id: 'role' }),
        ],
        caller?.is_admin && [
          disabled ? 'Let this user sign in again.' : 'Disable this user without deleting anything.',
          button(disabled ? 'Enable' : 'Disable', changeState, { id: 'state' }),
        ],
        ['Delete this account permanently.', button('Delete', remove, { id: 'delete', class: 'danger' })],
      ),
    ],
  };

  function edit() {
    change('Edit', {
      fields: [
        { name: 'username', label: 'Username', value: username, attributes: NAME },
        { name: 'email', label: 'Email', type: 'email', value: email, attributes: NAME },
      ],
      ownPassword: (values) => values['username'] !== username,
      submit: 'Save',
      toCall: toPatch,
    });
  }

  function revokeAll() {
    change('Revoke all tokens of', {
      submit: 'Revoke',
      isDangerous: true,
      toCall: () => ({ method: 'DELETE', path: ['tokens'], query: isOwn ? {} : { username } }),
      ...(isOwn && { done: endSession }),
    }, `Programs that use these tokens will stop working${isOwn ? ', and you will be signed out' : ''}. `
      + "This can't be undone.");
  }

  function changeRole() {
    const words = isAdmin
      ? 'The account and its projects are kept.'
      : 'Administrators can change every user and every project.';
    change(isAdmin ? 'Demote' : 'Promote', {
      ownPassword: true, toCall: () => toChange(id, { is_admin: !isAdmin }),
    }, words, isOwn && element(
      'strong', {}, 'This is your own account: you will no longer be an administrator.',
    ));
  }

  function changeState() {
    change(disabled ? 'Enable' : 'Disable', {
      ownPassword: isAdmin, toCall: () => toChange(id, { disabled: !disabled }),
    }, disabled ? ENABLING : DISABLING, isOwn && element(
      'strong', {},
      'You will be signed out, and only another administrator can enable your account again.',
    ));
  }

  function changePassword() {
    change('Change the password of', {
      fields: [
        toAccountField('username', 'Account', username),
        ...(isOwn ? [toPasswordField('current_password', 'Current password', 'current-password')] : []),
        toPasswordField('password', 'New password', 'new-password'),
      ],
      ownPassword: isAdmin && !isOwn,
      submit: 'Change password',
      toCall: ({ username: _, ...body }) => ({ method: 'PUT', path: ['users', id, 'password'], body }),
    }, isOwn ? 'You will lose all tokens except the token of this session.'
      : 'The user will lose all tokens.');
  }

  function createLink() {
    change('Make a password link for', {
      ownPassword: isAdmin,
      submit: 'Make link',
      toCall: () => toPasswordLink(id),
      done: ({ body }) => showNewLink(username, body),
    }, 'With the link, the user can set a new password once, within a day. An older link stops working.');
  }

  /**
   * If the user's tokens can be counted, the form says how many tokens will be revoked.
   */
  async function remove() {
    const call = { path: ['tokens'], query: { username, items_per_page: '1' } };
    const total = (await request(call).catch(() => undefined))?.total;
    const lost = total?.count ? ` and ${toCount(total.count, 'valid token', total.relation)}` : '';
    change('Delete', {
      fields: count === 0 ? [] : ownedProjectsFields(),
      ownPassword: isOwn || isAdmin,
      submit: 'Delete user',
      isDangerous: true,
      toCall: (query) => ({ method: 'DELETE', path: ['users', id], query }),
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
        name: 'owned_projects', label: 'What happens to the projects', type: 'select', attributes: {
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
