/** `/api/v1/user` and `/api/v1/users`. */
import type { Schema } from '../jsonschema/schema.ts';
import { problems } from '../problems.ts';
import { ITEMS_PER_PAGE_MAX, OWNED_PROJECTS_CHOICES, USER_SORT_KEYS } from '../schemas/parameters.ts';
import { callerSchema, createdUserSchema, listedUserSchema, userSchema } from '../schemas/records.ts';
import { jsonContent, type OperationDescription } from './description.ts';
import { createdUser, listedUser, PASSWORD, tokenRecord, user, USERNAME } from './examples.ts';
import { LIST_HEADERS, toLinkExample } from './headers.ts';
import { CONDITIONS, PAGING, queryParameter, SEARCH, sortParameter } from './parameters.ts';

const userListSchema: Schema = {
  type: 'object',
  required: ['users'],
  properties: { users: { type: 'array', maxItems: ITEMS_PER_PAGE_MAX, items: listedUserSchema } },
};

const stranger = problems.forbidden('Only the user or an administrator may change or delete an account');

/** @param isRegistrationOpen - Anybody may register, else administrators create users. */
export function createUserOperations({ isRegistrationOpen }: { readonly isRegistrationOpen: boolean }) {
  return {
    readCaller: {
      tag: 'Users',
      description:
        'The record of the caller, with their role, how they signed in, and the token in use. The `ETag` is not that of ' +
        '`/api/v1/users/{username_or_id}`.',
      parameters: CONDITIONS,
      answers: [
        {
          status: 200,
          description: 'The caller.',
          headers: ['ETag'],
          content: {
            mediaType: 'application/json',
            schema: callerSchema,
            examples: {
              password: {
                summary: 'Signed in with a password',
                value: { ...user, role: 'user', sign_in: 'password', token: null },
              },
              token: {
                summary: 'Signed in with a token',
                value: { ...user, role: 'user', sign_in: 'token', token: tokenRecord },
              },
            },
          },
        },
        { status: 304, description: 'The client has the record as it is; no content.', headers: ['ETag'] },
      ],
    },
    listUsers: {
      tag: 'Users',
      description:
        'With their projects, by ascending id unless `sort` says otherwise. A search parameter that is empty counts as absent.',
      parameters: [...SEARCH, sortParameter(USER_SORT_KEYS), ...PAGING],
      answers: [
        {
          status: 200,
          description: 'A page of users.',
          headers: LIST_HEADERS,
          headerExamples: toLinkExample('/api/v1/users'),
          content: jsonContent(userListSchema, { users: [listedUser] }),
        },
      ],
    },
    createUser: {
      tag: 'Users',
      description: isRegistrationOpen
        ? 'Anybody may register. Registrations that meet a taken username are counted, and too many refused.'
        : 'Registration is closed here: only administrators create users.',
      body: {
        name: 'NewUser',
        examples: { ada: { summary: 'A new user', value: { username: USERNAME, password: PASSWORD, email: user.email } } },
        refused: { username: '42', password: PASSWORD, email: 'ada' },
      },
      answers: [
        {
          status: 201,
          description: 'The new user.',
          headerExamples: { 'Location': '/api/v1/users/2' },
          content: jsonContent(createdUserSchema, createdUser),
        },
      ],
      problems: [
        problems.usernameTaken(),
        problems.tooManyAttempts(300),
        problems.busy(6),
        problems.databaseUnavailable(),
        problems.storageFull(),
      ],
    },
    readUser: {
      tag: 'Users',
      description: 'With their projects. Every signed-in user may read every other.',
      parameters: CONDITIONS,
      answers: [
        { status: 200, description: 'The user.', headers: ['ETag'], content: jsonContent(userSchema, user) },
        { status: 304, description: 'The client has the record as it is; no content.', headers: ['ETag'] },
      ],
      problems: [problems.notFound('user')],
    },
    updateUser: {
      tag: 'Users',
      description:
        'Changes the members that are given and leaves all others as they are; `null` is no value. `is_admin` and ' +
        '`disabled` are for administrators. A change that changes nothing is 200.',
      parameters: CONDITIONS,
      body: {
        name: 'UserPatch',
        examples: {
          email: { summary: 'Another address', value: { email: user.email } },
          disabled: { summary: 'Keep a user from signing in, by an administrator', value: { disabled: true } },
        },
        refused: { email: 'ada', is_admin: 'yes' },
      },
      answers: [
        { status: 200, description: 'The user as they are now.', headers: ['ETag'], content: jsonContent(userSchema, user) },
      ],
      problems: [
        stranger,
        problems.forbidden('Only an administrator may change "is_admin" or "disabled"'),
        problems.notFound('user'),
        problems.lastAdministrator(),
        problems.usernameTaken(),
      ],
    },
    deleteUser: {
      tag: 'Users',
      description:
        'Their tokens end and their username is free; their id is never used again. Their projects have to go with ' +
        'them, or to somebody else. Deleting one\'s own account needs the password: a token is 403.',
      parameters: [
        queryParameter(
          'owned_projects',
          'What becomes of the projects of the user: `refuse` to delete a user who has some, `delete` them, or ' +
          '`transfer` them to `new_owner`.',
          {
            type: 'string',
            enum: OWNED_PROJECTS_CHOICES,
            default: 'refuse',
          },
        ),
        queryParameter(
          'new_owner',
          'The username of who gets the projects; only with `owned_projects=transfer`, and needed there.',
          { type: 'string' },
          'grace',
        ),
        ...CONDITIONS,
      ],
      answers: [
        {
          status: 200,
          description: 'The user is deleted.',
          content: jsonContent(toStatusSchema('user_status', 'deleted'), { user_status: 'deleted' }),
        },
      ],
      problems: [
        stranger,
        problems.passwordNeeded(),
        problems.notFound('user'),
        problems.projectsOwned(),
        problems.tooManyProjects(),
        problems.lastAdministrator(),
        problems.unknownOwner(),
      ],
    },
    changePassword: {
      tag: 'Users',
      description:
        "For one's own password, `current_password` is needed. All tokens of the user are revoked but the one in use. " +
        "No answer shows the password, but the `ETag` of the user changes with it.",
      parameters: CONDITIONS,
      body: {
        name: 'NewPassword',
        examples: {
          own: { summary: "One's own", value: { password: 'a longer phrase only Ada knows', current_password: PASSWORD } },
        },
        refused: { password: 7 },
      },
      answers: [
        {
          status: 200,
          description: 'The password is changed.',
          content: jsonContent(toStatusSchema('password_status', 'changed'), { password_status: 'changed' }),
        },
      ],
      problems: [stranger, problems.wrongPassword(), problems.notFound('user')],
    },
  } as const satisfies Readonly<Record<string, OperationDescription>>;
}

function toStatusSchema(member: string, value: string): Schema {
  return { type: 'object', required: [member], properties: { [member]: { type: 'string', enum: [value] } } };
}
