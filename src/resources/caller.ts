/** `/api/v1/user`: who is calling, and how they signed in. */
import { read, tagged } from '../api/answers.ts';
import { operation } from '../api/operation.ts';
import { refuse } from '../api/problems.ts';
import { nullable, object, oneOf, optional, type ObjectOf } from '../jsonschema/typed.ts';
import type { User } from '../model/user.ts';
import { tokenRecord, toTokenRecord } from './schemas.ts';
import { MORE_PROJECTS, representation, userMembers } from './users.ts';

const callerMembers = {
  role: oneOf(['user', 'administrator'], { description: 'The role of the caller.' }),
  sign_in: oneOf(['password', 'token'], { description: 'How the caller signed in.' }),
  token: nullable(
    tokenRecord, { description: 'The token in use; `null` after signing in with a password.', example: null },
  ),
};

const callerRecord = object({
  ...userMembers, projects_total: optional(userMembers.projects_total),
  projects: optional(userMembers.projects), ...callerMembers,
});

export const callerOperations = {
  readCaller: operation({
    method: 'GET',
    path: '/api/v1/user',
    access: 'authenticated',
    scopes: ['full', 'read_only', 'identity'],
    mayTakeLong: true, // up to 256 KiB of projects
    tag: 'Users',
    summary: 'Get the caller',
    description:
      'Your account, and how you signed in. A token of the scope `identity` does not see your projects. ' +
      'For a conditional change, use the `ETag` of `/api/v1/users/{username_or_id}`, not this one.',
    answers: read(callerRecord, 'The caller.', MORE_PROJECTS),
    refuses: ['unauthenticated'],
    async handle({ users }, { caller }) {
      const members: ObjectOf<typeof callerMembers> = {
        role: caller.user.isAdmin ? 'administrator' : 'user',
        sign_in: caller.signIn,
        token: caller.signIn === 'token' ? toTokenRecord(caller.token) : null,
      };
      if (members.token?.scope === 'identity') { // a program with it learns who the owner is, no more
        return tagged({ json: JSON.stringify({ ...withoutProjects(caller.user), ...members }) });
      }
      const found = await users.findRepresentation({ id: caller.user.id });
      // The user may have been deleted since the sign-in.
      return found === undefined
        ? refuse('unauthenticated')
        : representation({ ...found, json: addMembers(found.json, members) }, caller);
    },
  }),
};

function withoutProjects({ id, username, email, dateCreated, isAdmin, isDisabled }: User) {
  return { id, username, email, date_created: dateCreated, is_admin: isAdmin, disabled: isDisabled };
}

/** @param json - A JSON object. */
function addMembers(json: string, members: object): string {
  return `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
}
