/** Specification: "Endpoints", from the creation of users to static files. */
import type { Section } from '../sentence.ts';

const REGISTRATION = 'POST /api/v1/users answers 201 with username, email, id and date, the place of the user, and no password';
const CREATION = 'POST /api/v1/projects answers 201 with the project and the summary of its owner, who is the caller by default';
const PROJECTS_LIST = 'GET /api/v1/projects lists the projects of all users to every user, with page, items_per_page and Count';
const NO_SLASH = '/api/v1projects/engine is 404 for every method';

export const endpointsOfRecords: readonly Section[] = [
  {
    number: '4.5',
    title: 'POST /api/v1/users',
    sentences: [
      {
        says: 'The body is JSON with username, password and email, all texts, the last in the format email.',
        source: { 'schemas/users.ts': "required: ['username', 'password', 'email']" },
        tests: { 'api/04-registration.test.ts': [REGISTRATION, 'all complaints are listed, each with the pointer of its member'] },
      },
      {
        says: 'It is checked against a JSON schema; how strict that is, is left open. Here: as the schema says.',
        source: { 'routes.ts': 'schema: createNewUserSchema(settings)', 'request-body.ts': 'validate(parsed.value)' },
        tests: { 'api/04-registration.test.ts': ['a username with a colon is 400', 'a username of digits alone is 400', 'a password of 1024 bytes is 201'] },
      },
      {
        says: 'The answer is 201, an object with the username and the email of the new user.',
        source: { 'handlers/users.ts': "case 'inserted':" },
        tests: { 'api/04-registration.test.ts': REGISTRATION },
      },
      {
        says: 'Whether the first of these keys is "username" or "user" is left open. Here: "username".',
        source: { 'stores/representations.ts': 'export const CREATED_USER' },
        tests: { 'api/04-registration.test.ts': REGISTRATION },
      },
      {
        says: 'Errors are 400 for a body that the schema refuses and 422 for a username that is taken.',
        source: { 'problems.ts': ["slug: 'invalid-body', status: 400", "slug: 'username-taken', status: 422"] },
        tests: { 'api/04-registration.test.ts': ['the body {} is 400', 'POST /api/v1/users is 422 for "ada" when "ada" exists'] },
      },
      {
        says: 'No authentication is asked for.',
        source: { 'routes.ts': "settings.registration === 'open' ? 'public' : 'administrator'" },
        tests: { 'api/16-access.test.ts': 'POST /api/v1/users with username, password, email by anonymous is 201' },
      },
    ],
  },
  {
    number: '4.6',
    title: 'GET /api/v1/users/{username_or_id}',
    sentences: [
      {
        says: 'Authentication is needed.',
        source: { 'routes.ts': 'handle: readUser,' },
        tests: { 'api/02-authentication.test.ts': 'GET /api/v1/users/ada without credentials is 401 with both challenges' },
      },
      {
        says: 'The path has the parameter username_or_id.',
        source: { 'routes.ts': 'handle: readUser,' },
        tests: { 'documentation.test.ts': 'the table of routes in the README names every route and no other' },
      },
      {
        says: 'A value that is an integer is an id, any other is a username.',
        source: { 'handlers/parameters.ts': 'if (!isIdText(segment))' },
        tests: { 'api/05-users.test.ts': ['GET /api/v1/users/2 finds grace.h@x', 'GET /api/v1/users/grace.h%40x finds grace.h@x', 'GET /api/v1/users/3 finds nobody, 404'] },
      },
      {
        says: 'The answer is 200, an object with username, email, and projects, each with name, description, date_created and the summary of its owner.',
        source: { 'stores/users.ts': 'const SELECT_REPRESENTATION' },
        tests: { 'api/05-users.test.ts': 'GET /api/v1/users/{username_or_id} answers username, email and projects, each with its owner' },
      },
      {
        says: 'Left open: the answer when there is no such user. Here: 404.',
        source: { 'handlers/users.ts': 'users.findRepresentation(address))' },
        tests: { 'api/05-users.test.ts': 'GET /api/v1/users/nobody finds nobody, 404' },
      },
    ],
  },
  {
    number: '4.7',
    title: 'POST /api/v1/projects',
    sentences: [
      {
        says: "The body is JSON with name, description and owner, the owner's username; all are texts.",
        source: { 'schemas/projects.ts': 'export const newProjectSchema' },
        tests: { 'api/06-projects.test.ts': [CREATION, 'the owner may be named, case ignored, and a description may be left out'] },
      },
      {
        says: 'The answer is 201, an object with name, description, and owner with username and email.',
        source: { 'handlers/projects.ts': "case 'inserted':" },
        tests: { 'api/06-projects.test.ts': CREATION },
      },
      {
        says: 'Malformed JSON is 400.',
        source: { 'request-body.ts': 'throw problems.malformedBody(parsed.reason)' },
        tests: { 'api/06-projects.test.ts': 'malformed JSON is 400' },
      },
    ],
  },
  {
    number: '4.8',
    title: 'GET /api/v1/projects',
    sentences: [
      {
        says: 'It lists the projects that the user has access to.',
        source: { 'handlers/projects.ts': 'services.projects.list({ search, sort, page, ownerId: owner?.id })' },
        tests: { 'api/06-projects.test.ts': PROJECTS_LIST },
      },
      {
        says: 'It comes in pages, by page and items_per_page, 1000 items unless another number is given.',
        source: { 'schemas/parameters.ts': 'const ITEMS_PER_PAGE_MAX = 1000' },
        tests: { 'api/06-projects.test.ts': ['of 1001 projects the first page has 1000, unless another size is asked for', 'GET /api/v1/projects?items_per_page=1&page=2 with no body lists [beta]'] },
      },
      {
        says: 'The answer is 200, an object with an array "projects", and the headers page, items_per_page and Count.',
        source: { 'handlers/projects.ts': "toListReply('projects', request, page, found)" },
        tests: { 'api/06-projects.test.ts': PROJECTS_LIST },
      },
      {
        says: 'Malformed JSON, or a user who is not found, is 400.',
        source: { 'routes.ts': "presence: 'optional', schema: projectFilterSchema", 'problems.ts': "slug: 'unknown-owner', status: 400" },
        tests: {
          'api/06-projects.test.ts': [
            'GET /api/v1/projects with malformed JSON is 400',
            'GET /api/v1/projects with an unknown owner in the query is 400',
            'GET /api/v1/projects with an unknown owner in the body is 400',
          ],
        },
      },
      {
        says: 'Left open: which projects a user has access to. Here: all of them.',
        source: { 'stores/projects.ts': "/** Only this user's projects; those of all users when it is `undefined`. */" },
        tests: { 'api/06-projects.test.ts': PROJECTS_LIST },
      },
    ],
  },
  {
    number: '4.9',
    title: 'GET /api/v1/projects/{project_name_or_id}',
    sentences: [
      {
        says: 'The parameter of the path is the name or the integer id of a project.',
        source: { 'handlers/projects.ts': "parseIdOrName<ProjectId>(request.pathParameters['project_name_or_id']" },
        tests: { 'api/06-projects.test.ts': ['GET /api/v1/projects/engine is 200', 'GET /api/v1/projects/1 is 200'] },
      },
      {
        says: 'The answer is 200, an object with name, description, and owner with username and email.',
        source: { 'handlers/projects.ts': 'answerRecord(request, (await findAddressedProject(' },
        tests: { 'api/06-projects.test.ts': 'GET /api/v1/projects/engine is 200' },
      },
      {
        says: 'It is 404 when there is no such project.',
        source: { 'handlers/projects.ts': "throw problems.notFound('project')" },
        tests: { 'api/06-projects.test.ts': ['GET /api/v1/projects/nothing is 404', 'GET /api/v1/projects/2 is 404'] },
      },
      {
        says: 'The missing slash between v1 and projects is a slip of the reference; the route stands beside the collection, below /api/v1.',
        source: { 'routes.ts': 'handle: readProject,' },
        tests: { 'api/08-methods-and-origins.test.ts': NO_SLASH },
      },
    ],
  },
  {
    number: '4.10',
    title: 'DELETE /api/v1/projects/{project_name_or_id}',
    sentences: [
      {
        says: 'The answer is 200 when the project has been deleted, 404 when there is none.',
        source: { 'handlers/projects.ts': "jsonReply(200, { project_status: 'deleted' })" },
        tests: { 'api/06-projects.test.ts': ['DELETE /api/v1/projects/engine by ada is 200', 'DELETE /api/v1/projects/nothing by ada is 404'] },
      },
      {
        says: 'What was said of the slash holds here too.',
        source: { 'routes.ts': 'handle: deleteProject,' },
        tests: { 'api/08-methods-and-origins.test.ts': NO_SLASH },
      },
    ],
  },
  {
    number: '4.11',
    title: 'GET /static/{filename}',
    sentences: [
      {
        says: "The answer is a file of the service's static folder.",
        source: { 'handlers/static.ts': "request.pathParameters['filename']" },
        tests: { 'api/07-static-files.test.ts': ['GET /static/index.html answers the file with its type, without authentication', 'GET /static/../package.json answers no file'] },
      },
      {
        says: 'The path may lead through sub-directories.',
        source: { 'routes.ts': 'rest: true,' },
        tests: { 'api/07-static-files.test.ts': 'GET /static/css/site.css answers a file of a sub-directory' },
      },
    ],
  },
];
