/** `/api/v1/projects` */
import type { Schema } from '../jsonschema/schema.ts';
import { problems } from '../problems.ts';
import { ITEMS_PER_PAGE_MAX, PROJECT_SORT_KEYS } from '../schemas/parameters.ts';
import { projectSchema } from '../schemas/records.ts';
import { jsonContent, type OperationDescription } from './description.ts';
import { project } from './examples.ts';
import { LIST_HEADERS, toLinkExample } from './headers.ts';
import { CONDITIONS, PAGING, queryParameter, SEARCH, sortParameter } from './parameters.ts';

const projectListSchema: Schema = {
  type: 'object',
  required: ['projects'],
  properties: { projects: { type: 'array', maxItems: ITEMS_PER_PAGE_MAX, items: projectSchema } },
};

const deletedSchema: Schema = {
  type: 'object',
  required: ['project_status'],
  properties: { project_status: { type: 'string', enum: ['deleted'] } },
};

const stranger = problems.forbidden('Only its owner or an administrator may change or delete a project');

export const projectOperations = {
  listProjects: {
    tag: 'Projects',
    description: [
      'All projects, which every signed-in user may read, by ascending id unless `sort` says otherwise. A search ' +
      'parameter that is empty counts as absent.',
      'A body is not needed, and OpenAPI 3.0 cannot describe one for GET. If there is one it must be JSON; the member ' +
      '`owner` of an object then works like the query parameter, which wins.',
    ].join('\n\n'),
    parameters: [
      ...SEARCH,
      queryParameter(
        'owner',
        'Only the projects of the user with this username, case ignored; 400 when there is no such user.',
        { type: 'string' },
        'ada',
      ),
      sortParameter(PROJECT_SORT_KEYS),
      ...PAGING,
    ],
    answers: [
      {
        status: 200,
        description: 'A page of projects.',
        headers: LIST_HEADERS,
        headerExamples: toLinkExample('/api/v1/projects'),
        content: jsonContent(projectListSchema, { projects: [project] }),
      },
    ],
    problems: [problems.unknownOwner()],
  },
  createProject: {
    tag: 'Projects',
    description: 'For the caller, or with `owner`, by an administrator, for anybody.',
    body: {
      name: 'NewProject',
      examples: {
        own: { summary: "One's own", value: { name: project.name, description: project.description } },
        others: {
          summary: "Somebody else's, by an administrator",
          value: { name: project.name, description: project.description, owner: project.owner.username },
        },
      },
      refused: { name: '42' },
    },
    answers: [
      {
        status: 201,
        description: 'The new project.',
        headerExamples: { 'Location': '/api/v1/projects/1' },
        content: jsonContent(projectSchema, project),
      },
    ],
    problems: [
      problems.unknownOwner(),
      problems.forbidden('Only an administrator may create a project for somebody else'),
      problems.projectNameTaken(),
      problems.tooManyProjects(),
    ],
  },
  readProject: {
    tag: 'Projects',
    description: 'Every signed-in user may read every project.',
    parameters: CONDITIONS,
    answers: [
      { status: 200, description: 'The project.', headers: ['ETag'], content: jsonContent(projectSchema, project) },
      { status: 304, description: 'The client has the record as it is; no content.', headers: ['ETag'] },
    ],
    problems: [problems.notFound('project')],
  },
  updateProject: {
    tag: 'Projects',
    description:
      'Changes the members that are given and leaves all others as they are; `null` is no value. `owner` hands the ' +
      'project over to any user, which only administrators may. A change that changes nothing is 200.',
    parameters: CONDITIONS,
    body: {
      name: 'ProjectPatch',
      examples: {
        description: { summary: 'Another description', value: { description: project.description } },
        owner: { summary: 'Hand it over', value: { owner: 'grace' } },
      },
      refused: { description: null },
    },
    answers: [
      { status: 200, description: 'The project as it is now.', headers: ['ETag'], content: jsonContent(projectSchema, project) },
    ],
    problems: [
      stranger,
      problems.unknownOwner(),
      problems.notFound('project'),
      problems.projectNameTaken(),
      problems.tooManyProjects(),
    ],
  },
  deleteProject: {
    tag: 'Projects',
    description: 'Its name is free from then on; its id is never used again.',
    parameters: CONDITIONS,
    answers: [
      { status: 200, description: 'The project is deleted.', content: jsonContent(deletedSchema, { project_status: 'deleted' }) },
    ],
    problems: [stranger, problems.notFound('project')],
  },
} as const satisfies Readonly<Record<string, OperationDescription>>;
