/** Projects: the list, one of them, and every change of one. */
/** @import { Change, ListOptions, Screen } from './screen.js' */
import { announce, button, buttons, element, facts, isolate, link, soft, time, toHash } from './dom.js';
import { NAME, openForm, toPatch } from './form.js';
import { CREATED, createFilter, createInput, createOrder, createSearch, showList, showRecord } from './screen.js';
import { me } from './sign-in.js';

/**
 * @typedef {{ id: number, name: string, description: string, date_created: string,
 *   owner: { username: string, email: string } }} Project
 */

/** @param {Screen} screen */
export function showProjects(screen) {
  if (screen.path.length > 0) {
    showRecord(screen, { resource: 'projects', title: 'Projects', nameMember: 'name', toContent });
    return;
  }
  /** @type {ListOptions<Project>} */
  const options = {
    title: 'Projects',
    name: 'projects',
    columns: [
      { title: 'Name', cell: ({ id, name }) => link(toHash(['projects', id]), isolate(name)) },
      { title: 'Description', cell: ({ description }) => element('span', { class: 'clipped', dir: 'auto' }, description), class: 'wide' },
      { title: 'Owner', cell: ({ owner }) => toOwner(owner) },
      CREATED,
    ],
    actions: [button('New project', createProject, { 'id': 'new', 'class': 'primary', 'aria-keyshortcuts': 'n' })],
    filters: [
      createSearch(screen.query, 'Name'),
      createFilter(screen.query, 'owner', 'Owner', createInput()),
      createOrder(screen.query, 'name'),
    ],
  };
  showList(screen, options);
}

/** @param {Project['owner']} owner */
function toOwner({ username }) {
  return link(toHash(['users', username]), isolate(username));
}

function createProject() {
  openForm('New project', {
    fields: [
      { name: 'name', label: 'Name', attributes: { required: true } },
      { name: 'description', label: 'Description', type: 'textarea' },
      ...(me()?.is_admin ? [{ name: 'owner', label: 'Owner', value: me()?.username ?? '', suggestsUsers: true, attributes: NAME }] : []),
    ],
    submit: 'Create project',
    toCall: (body) => ({ method: 'POST', path: ['projects'], body }),
    done: ({ body: { id, name } }) => {
      location.hash = toHash(['projects', id]);
      announce(`${name} was created`, 'shown');
    },
  });
}

/**
 * @param {Record<string, any>} record
 * @param {Change} change
 */
function toContent(record, change) {
  const { id, name, description, owner, date_created: created } = /** @type {Project} */ (record);
  const mayChange = owner.username === me()?.username || me()?.is_admin;
  return [
    description !== '' && element('p', { class: 'prose', dir: 'auto' }, description),
    facts(['Number', String(id)], ['Owner', toOwner(owner)], ['Created', time(created)]),
    mayChange ? buttons(
      button('Edit', edit, { id: 'edit' }),
      button('Hand over', handOver, { id: 'hand-over' }),
      button('Delete', remove, { id: 'delete', class: 'danger' }),
    ) : element('p', {}, soft('Only its owner or an administrator can change this project.')),
  ];

  function edit() {
    change('Edit', {
      fields: [
        { name: 'name', label: 'Name', value: name, attributes: { required: true } },
        { name: 'description', label: 'Description', type: 'textarea', value: description },
      ],
      submit: 'Save',
      toCall: toPatch,
    });
  }

  function handOver() {
    change('Hand over', {
      fields: [{ name: 'owner', label: 'New owner', hint: 'A username.', suggestsUsers: true, attributes: NAME }],
      submit: 'Hand over',
      toCall: toPatch,
    }, 'From then on, only they or an administrator can give it back.');
  }

  function remove() {
    change('Delete', {
      fields: [{ name: 'confirmation', label: 'Type the name of the project', hint: name, attributes: { ...NAME, input: confirm } }],
      submit: 'Delete project',
      isDangerous: true,
      toCall: () => ({ method: 'DELETE', path: ['projects', id] }),
      done: () => {
        location.hash = toHash(['projects']);
        announce(`${name} was deleted`, 'shown');
      },
    }, 'It goes for good.');
  }

  /** @param {Event} event */
  function confirm({ target: input }) {
    if (input instanceof HTMLInputElement) {
      input.setCustomValidity(input.value.normalize() === name ? '' : 'This is not the name of the project');
    }
  }
}
