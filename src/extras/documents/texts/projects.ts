/** The sentences about operations on projects. */
import type { projectOperations } from '../../../resources/projects.ts';
import { project } from '../records.ts';
import { searchTexts, pagingTexts, SORT, type Sentences, type TextsOf } from '../text.ts';

const NEW_NAME: Sentences = {
  description:
    'Without control and invisible characters, and without white space at either end; not an integer, ' +
    '`.` or `..`. Unique across the service, case ignored.',
  example: 'notes',
};
const NEW_DESCRIPTION: Sentences = {
  description:
    'No control or invisible characters but tab, line break, joiners and variation selectors; empty unless ' +
    'given.',
  example: 'On the Analytical Engine',
};
export const projectInPathTexts = {
  project_name_or_id: {
    description: 'The name of a project, case ignored, or its id: an integer is an id.', example: 'notes',
  },
};

export const projectTexts: TextsOf<typeof projectOperations> = {
  listProjects: {
    tag: 'Projects',
    summary: 'List projects',
    description:
      'Every signed-in user may read every project; with `DIRECTORY=closed`, plain users read only their ' +
      'own. The list is by id unless `sort` says otherwise.\n\n' +
      'A request may have a JSON object as its body. Its member `owner` works like the query parameter, ' +
      'which takes precedence.',
    query: {
      ...searchTexts,
      owner: {
        description: 'Only projects of this user. Case is ignored; an unknown user is 400.', example: 'ada',
      },
      sort: SORT,
      ...pagingTexts,
    },
    item: project,
  },
  createProject: {
    tag: 'Projects',
    summary: 'Create a project',
    description: 'The caller owns it, unless an administrator names another owner.',
    body: {
      name: 'NewProject',
      members: {
        name: NEW_NAME,
        description: NEW_DESCRIPTION,
        owner: {
          description: 'The owner, the caller unless given. Only administrators may name another user.',
        },
      },
    },
    reply: {
      description: 'The new project.', schema: project, headerExamples: { Location: '/api/v1/projects/1' },
    },
  },
  readProject: {
    tag: 'Projects',
    summary: 'Get a project',
    description:
      'Every signed-in user may read every project; with `DIRECTORY=closed`, plain users read only their ' +
      'own.',
    path: projectInPathTexts,
    reply: { description: 'The project.', schema: project },
  },
  updateProject: {
    tag: 'Projects',
    summary: 'Change a project',
    description:
      'Changes the given members and leaves the others as they are. The owner or an administrator may do ' +
      'this; only an administrator may transfer the project with `owner`.',
    path: projectInPathTexts,
    body: {
      name: 'ProjectPatch',
      members: {
        name: NEW_NAME,
        description: NEW_DESCRIPTION,
        owner: { description: 'The username of the new owner, for administrators.' },
      },
      example: { description: 'On the Analytical Engine' },
    },
    reply: { description: 'The project as it is now.', schema: project },
  },
  deleteProject: {
    tag: 'Projects',
    summary: 'Delete a project',
    description:
      'The owner or an administrator may do this. The name becomes free; the id is never used again.',
    path: projectInPathTexts,
    reply: { description: 'The project is deleted.' },
  },
};
