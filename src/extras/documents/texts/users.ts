/** The sentences about operations on users and their passwords. */
import type { callerOperations } from '../../../resources/caller.ts';
import type { passwordOperations } from '../../../resources/passwords.ts';
import type { userOperations } from '../../../resources/users.ts';
import type { passwordLinkOperations } from '../../password-links/password-links.ts';
import { caller, createdUser, listedUser, passwordLink, user } from '../records.ts';
import {
  searchTexts, pagingTexts, SORT, userInPathTexts, type Sentences, type TextSettings, type TextsOf,
} from '../text.ts';

/** The link of a single read that does not show all projects. */
const MORE_PROJECTS = { 'Link': '</api/v1/projects?owner=ada>; rel="related"' };

const NEW_USERNAME: Sentences = {
  description:
    'Letters, digits and marks of one script, and `. _ @ + -`; nothing invisible; not an integer, ' +
    '`.` or `..`, and not in the form of a token. Latin may be mixed with Japanese, Chinese or Korean. ' +
    'Unique; case is kept, and ignored in comparisons.',
  example: 'ada',
};
const NEW_PASSWORD: Sentences = {
  description: 
    'At most 1024 bytes in UTF-8, without NUL, and not in the form of a token.',
  example: 'a long phrase only Ada knows',
};

type Texts = TextsOf<
  typeof callerOperations & ReturnType<typeof userOperations> & ReturnType<typeof passwordOperations>
  & ReturnType<typeof passwordLinkOperations>
>;

export const userTexts = ({ registration }: TextSettings): Texts => ({
  readCaller: {
    tag: 'Users',
    summary: 'Get the caller',
    description:
      'Your account, and how you signed in. A token of the scope `identity` does not see your projects. ' +
      'For a conditional change, use the `ETag` of `/api/v1/users/{username_or_id}`, not this one.',
    reply: { description: 'The caller.', schema: caller, headerExamples: MORE_PROJECTS },
  },
  listUsers: {
    tag: 'Users',
    summary: 'List users',
    description:
      'Users with their projects, by id unless `sort` says otherwise. An empty search ' +
      'parameter counts as absent.',
    query: {
      ...searchTexts,
      role: { description: 'Only users with this role.', example: 'administrator' },
      state: {
        description:
          'Only users who are not disabled (`enabled`), only disabled users, or, for administrators, only ' +
          'users who have not set a password yet (`invited`).',
        example: 'enabled',
      },
      sort: SORT,
      ...pagingTexts,
    },
    item: listedUser,
  },
  createUser: {
    tag: 'Users',
    summary: 'Register a user',
    description: (registration === 'open'
      ? 'Anybody may register.'
      : 'Registration is closed: only administrators create users.') +
      ' Administrators may leave the password out, to invite the user with a password link.',
    body: {
      name: 'NewUser',
      members: {
        username: NEW_USERNAME,
        password: NEW_PASSWORD,
        email: {
          description:
            'An email address. Signed-in users can see it: with `DIRECTORY=closed` only administrators.',
          example: 'ada@example.org',
        },
      },
    },
    reply: {
      description: 'The new user.', schema: createdUser, headerExamples: { Location: '/api/v1/users/2' },
    },
  },
  readUser: {
    tag: 'Users',
    summary: 'Get a user',
    description:
      'Every signed-in user may read every user, with the projects of that user. With ' +
      '`DIRECTORY=closed`, only administrators read other users.',
    path: userInPathTexts,
    reply: { description: 'The user.', schema: user, headerExamples: MORE_PROJECTS },
  },
  updateUser: {
    tag: 'Users',
    summary: 'Change a user',
    description:
      'Changes the given members and leaves the others as they are. The user or an administrator may do ' +
      'this; `is_admin` and `disabled` are for administrators. To change a username, or the role or ' +
      'state of an administrator, sign in with the password.',
    path: userInPathTexts,
    body: {
      name: 'UserPatch',
      members: {
        username: NEW_USERNAME,
        email: { example: 'ada@example.org' },
        is_admin: { description: 'Whether the user is an administrator. For administrators.' },
        disabled: { description: 'Whether the user is kept from signing in. For administrators.' },
      },
      example: { email: 'ada@example.org' },
    },
    reply: { description: 'The user as they are now.', schema: user },
  },
  deleteUser: {
    tag: 'Users',
    summary: 'Delete a user',
    description:
      'The user or an administrator may do this. It revokes their tokens and frees the username; the id ' +
      'is never used again. Projects must be deleted or transferred with the user. To delete your own ' +
      'account, or an administrator, sign in with the password.',
    path: userInPathTexts,
    query: {
      owned_projects: {
        description:
          'Whether to `delete` or `transfer` the projects of the user. `refuse`, unless given, ' +
          'keeps a user who has some.',
        example: 'refuse',
      },
      new_owner: {
        description:
          'The user who gets the projects. Required with `owned_projects=transfer`, and only there.',
        example: 'ada',
      },
    },
    reply: { description: 'The user is deleted.' },
  },
  changePassword: {
    tag: 'Users',
    summary: 'Change a password',
    description:
      'To change your own password, send your current one, or the token of a password link instead. An ' +
      'administrator may set a new one for another user, and for another administrator after signing in ' +
      'with the password. All other tokens of the user are revoked.',
    path: userInPathTexts,
    body: {
      name: 'NewPassword',
      members: {
        password: NEW_PASSWORD,
        current_password: {
          description: 'Required to change your own password.', example: 'the one before',
        },
      },
    },
    reply: { description: 'The password is changed.' },
  },
  createPasswordLink: {
    tag: 'Users',
    summary: 'Create a password link',
    description:
      'Makes a link that sets a new password of the user, once, within a day. An older link ends. For ' +
      'the account of an administrator, sign in with the password.',
    path: userInPathTexts,
    reply: {
      description: 'The link.', schema: passwordLink, headerExamples: { Location: '/api/v1/users/2' },
    },
  },
});
