/** Users: the list, one of them, and every change of an account. What somebody may not do is not offered. */
/** @import { Change, ListOptions, Screen } from './screen.js' */
/** @import { Project } from './projects.js' */
import { announce, button, buttons, element, facts, isolate, link, soft, time, toHash } from './dom.js';
import { NAME, openForm, toPatch } from './form.js';
import { CREATED, createOrder, createSearch, createTable, showList, showRecord } from './screen.js';
import { endSession, me, NEW_USER_FIELDS, refreshMe, toPasswordField } from './sign-in.js';

/**
 * @typedef {{ id: number, username: string, email: string, date_created: string, is_admin: boolean, disabled?: boolean,
 *   projects: readonly Project[] }} User `disabled` is known of a user who is read alone.
 */

const PROJECTS_SHOWN = 10;

/** @param {Screen} screen */
export function showUsers(screen) {
  if (screen.path.length > 0) {
    showRecord(screen, { resource: 'users', title: 'Users', nameMember: 'username', toContent, changed: ({ id }) => id === me()?.id && refreshMe() });
    return;
  }
  /** @type {ListOptions<User>} */
  const options = {
    title: 'Users',
    name: 'users',
    columns: [
      { title: 'Username', cell: ({ id, username }) => link(toHash(['users', id]), isolate(username)) },
      { title: 'Email', cell: ({ email }) => isolate(email) },
      { title: 'Role', cell: ({ is_admin: isAdmin }) => (isAdmin ? element('strong', {}, 'Administrator') : 'User') },
      { title: 'Projects', cell: ({ projects }) => String(projects.length), class: 'number' },
      CREATED,
    ],
    actions: [me()?.is_admin && button('New user', createUser, { 'id': 'new', 'class': 'primary', 'aria-keyshortcuts': 'n' })],
    filters: [
      createSearch(screen.query, 'Username'),
      createOrder(screen.query, 'username'),
    ],
  };
  showList(screen, options);
}

function createUser() {
  openForm('New user', {
    fields: NEW_USER_FIELDS,
    submit: 'Create user',
    toCall: (body) => ({ method: 'POST', path: ['users'], body }),
    done: ({ body: { id, username } }) => {
      location.hash = toHash(['users', id]);
      announce(`${username} was created`, 'shown');
    },
  });
}

/**
 * @param {Record<string, any>} record
 * @param {Change} change
 */
function toContent(record, change) {
  const { id, username, email, date_created: created, is_admin: isAdmin, disabled, projects } = /** @type {User} */ (record);
  const path = ['users', id];
  const caller = me();
  const isOwn = id === caller?.id;
  const mayChange = isOwn || caller?.is_admin === true;
  const role = isAdmin ? 'Demote' : 'Promote';
  const state = disabled ? 'Enable' : 'Disable';
  return [
    facts(
      ['Number', String(id)],
      ['Email', isolate(email)],
      ['Role', isAdmin ? 'Administrator' : 'User'],
      ['State', disabled ? element('strong', { class: 'bad' }, 'Disabled: cannot sign in') : 'Enabled'],
      ['Created', time(created)],
      mayChange && ['Tokens', link(toHash(['tokens'], isOwn ? {} : { username }), 'Valid tokens')],
    ),
    mayChange ? buttons(
      button('Edit', edit, { id: 'edit' }),
      button('Change password', changePassword, { id: 'password' }),
      caller?.is_admin && button(role, changeRole, { id: 'role' }),
      caller?.is_admin && button(state, changeState, { id: 'state' }),
      button('Delete', remove, { id: 'delete', class: 'danger' }),
    ) : element('p', {}, soft('Only this user or an administrator can change this account.')),
    element(
      'section', {}, element('h2', {}, 'Projects'),
      projects.length === 0 ? soft('None.') : createTable('The first that they own', [
        { title: 'Name', cell: ({ id: project, name }) => link(toHash(['projects', project]), isolate(name)) },
        CREATED,
      ], projects.slice(0, PROJECTS_SHOWN)),
      projects.length > PROJECTS_SHOWN && element('p', {}, link(toHash(['projects'], { owner: username }), `All ${projects.length} projects`)),
    ),
  ];

  function edit() {
    change('Edit', {
      fields: [
        { name: 'username', label: 'Username', value: username, attributes: NAME },
        { name: 'email', label: 'Email', type: 'email', value: email, attributes: NAME },
      ],
      submit: 'Save',
      toCall: toPatch,
    });
  }

  function changeRole() {
    change(role, {
      submit: role,
      toCall: () => ({ method: 'PATCH', path, body: { is_admin: !isAdmin } }),
    }, isAdmin ? 'They keep their account and their projects.' : 'Administrators change any user and any project.');
  }

  function changeState() {
    change(state, {
      submit: state,
      toCall: () => ({ method: 'PATCH', path, body: { disabled: !disabled } }),
    }, disabled ? 'They can sign in again, and their tokens count.' : 'They can no longer sign in, nor do their tokens count. Everything is kept.');
  }

  function changePassword() {
    change('Password of', {
      fields: [
        { name: 'username', label: 'Username', value: username, attributes: { readonly: true, autocomplete: 'username' } },
        ...(isOwn ? [toPasswordField('current_password', 'Current password', 'current-password')] : []),
        toPasswordField('password', 'New password', 'new-password'),
      ],
      submit: 'Change password',
      toCall: ({ username: _, ...body }) => ({ method: 'PUT', path: [...path, 'password'], body }),
    }, isOwn ? 'All your other tokens are revoked with it.' : 'All their tokens are revoked with it.');
  }

  function remove() {
    change('Delete', {
      fields: projects.length === 0 ? [] : [
        {
          name: 'owned_projects', label: 'Their projects', type: 'select',
          choices: [['refuse', 'Refuse while they own projects'], ['delete', 'Delete their projects too'], ['transfer', 'Hand their projects over']],
        },
        { name: 'new_owner', label: 'New owner', suggestsUsers: true, hint: 'Where projects are handed over.', attributes: { autocapitalize: 'none' } },
      ],
      submit: 'Delete user',
      isDangerous: true,
      toCall: ({ owned_projects: choice = '', new_owner: owner = '' }) => ({
        method: 'DELETE', path, query: { ...(choice && { owned_projects: choice }), ...(choice === 'transfer' && { new_owner: owner }) },
      }),
      done: () => {
        if (isOwn) {
          endSession();
        } else {
          location.hash = toHash(['users']);
        }
        announce(`${username} was deleted`, 'shown');
      },
    }, 'The account and its tokens go. The audit trail keeps the name.');
  }
}
