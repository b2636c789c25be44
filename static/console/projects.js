/** The screens of projects: the list, a single project, and the forms that change a project. */
/** @import { Change, Content } from './record.js' */
/** @import { Project } from './rows.js' */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { me } from './api.js';
import { announce, avatar, facts, isolate, soft, time, toHash } from './dom.js';
import { NAME, openForm, toPatch } from './form.js';
import { CREATED, createSearch, createUserFilter, showList } from './list.js';
import { createRedZone, showRecord, toDeletions } from './record.js';
import { toOwner, toOwnerCell, toProject } from './rows.js';

/** @param {Screen} screen */
export function show(screen) {
  if (screen.path.length > 0) {
    showRecord(screen, {
      resource: 'projects', title: 'Projects', nameMember: 'name',
      toContent: (record, change) => toContent(/** @type {Project} */ (record), change),
    });
    return;
  }
  showList(screen, {
    title: 'Projects',
    name: 'projects',
    columns: [
      { title: 'Project', sort: 'name', cell: toProject },
      {
        title: 'Owner', class: 'owner',
        cell: (/** @type {Project} */ { owner }) => toOwnerCell(owner.username),
      },
      CREATED,
    ],
    create: createProject,
    filters: [
      createSearch(screen.query, 'Name', 'Search projects'),
      createUserFilter(screen.query, 'owner', 'Owner', 'Anyone'),
    ],
    gone: toDeletions('project'),
  });
}

function createProject() {
  openForm('New project', {
    fields: [
      { name: 'name', label: 'Name', attributes: { required: true } },
      { name: 'description', label: 'Description', type: 'textarea' },
      ...(me()?.is_admin ? [
        { name: 'owner', label: 'Owner', value: me()?.username ?? '', suggestsUsers: true, attributes: NAME },
      ] : []),
    ],
    submit: 'Create project',
    toCall: (body) => ({ method: 'POST', path: ['projects'], body }),
    done: ({ body: { id, name } }) => {
      location.hash = toHash(['projects', id]);
      announce(`${name} was created`, 'shown');
    },
  });
}

/** @type {(project: Project, change: Change) => Content} */
function toContent({ id, name, description, owner, date_created: created }, change) {
  const caller = me();
  const mayChange = owner.username === caller?.username || caller?.is_admin;
  return {
    actions: mayChange && button('Edit', edit, { id: 'edit', class: 'primary' }),
    parts: [
      facts(
        ['ID', String(id)], ['Created', time(created)],
        ['Owner', [avatar(owner.username), ' ', toOwner(owner.username)]], ['Email', isolate(owner.email)],
      ),
      element('p', { class: 'prose', dir: 'auto' }, description || soft('No description.')),
      mayChange ? createRedZone(
        caller?.is_admin && [
          'Transfer this project to another user.', button('Transfer', transfer, { id: 'transfer' }),
        ],
        ['Delete this project permanently.', button('Delete', remove, { id: 'delete', class: 'danger' })],
      ) : element('p', {}, soft('Only the owner or an administrator can change this project.')),
    ],
  };

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

  function transfer() {
    change('Transfer', {
      fields: [
        { name: 'owner', label: 'New owner', hint: 'A username.', suggestsUsers: true, attributes: NAME },
      ],
      toCall: toPatch,
    }, `${owner.username} can no longer change this project. `
      + 'Only an administrator can give the project back.');
  }

  function remove() {
    change('Delete', {
      fields: [
        {
          name: 'confirmation', label: 'Type the name of the project', hint: name,
          attributes: { ...NAME, input: confirm },
        },
      ],
      submit: 'Delete project',
      isDangerous: true,
      toCall: () => ({ method: 'DELETE', path: ['projects', id] }),
      done: () => {
        location.hash = toHash(['projects']);
        announce(`${name} was deleted`, 'shown');
      },
    }, "This can't be undone.");
  }

  /** @param {Event} event */
  function confirm({ target: input }) {
    if (input instanceof HTMLInputElement) {
      const isName = toVisible(input.value) === toVisible(name);
      input.setCustomValidity(isName ? '' : 'This is not the name of the project.');
    }
  }
}

/** Users need not type the invisible characters of a name. @param {string} text */
function toVisible(text) {
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').normalize();
}
