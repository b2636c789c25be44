/** `/api/v1/user`: who is calling, and how they signed in. */
import { operation } from '../api/operation.ts';
import { isRefusal, refuse } from '../api/problems.ts';
import { record, tagged } from '../api/replies.ts';
import type { User } from '../model/user.ts';
import { readVisible } from './directory.ts';
import { toTokenRecord } from './tokens.ts';
import { representation } from './accounts.ts';

export const callerOperations = {
  readCaller: operation({
    method: 'GET',
    path: '/api/v1/user',
    access: 'authenticated',
    scopes: ['full', 'read_only', 'identity'],
    replies: record,
    refuses: ['unauthenticated', 'busy'],
    async handle(services, { caller, origin, request }) {
      const members = {
        role: caller.user.isAdmin ? 'administrator' : 'user',
        sign_in: caller.signIn,
        token: caller.signIn === 'token' ? toTokenRecord(caller.token) : null,
      };
      if (members.token?.scope === 'identity') { // a program with it learns who the owner is, no more
        return tagged({ json: JSON.stringify({ ...withoutProjects(caller.user), ...members }) });
      }
      const found = await readVisible(services, { id: caller.user.id }, origin, request);
      if (found === undefined || isRefusal(found)) {
        return found ?? refuse('unauthenticated'); // the user may have been deleted since the sign-in
      }
      return representation({ ...found, json: addMembers(found.json, members) }, caller);
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
