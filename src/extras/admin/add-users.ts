/**
 * `admin link` and `admin add` print links that set a password. `admin add` checks all lines of its file
 * before it adds the first user. After an interruption, operators run `admin add` again. The second run makes
 * a new link for each user without a password, and reports all other users.
 */
import { accept } from '../../administrators.ts';
import { toProgramOrigin } from '../../model/audit.ts';
import { toNameKey } from '../../model/name.ts';
import { NO_PASSWORD, type User } from '../../model/user.ts';
import { makePasswordLink } from '../password-links/password-links.ts';
import { onAccounts, onUser, requireChanged, type CommandParts } from './account-commands.ts';
import type { Command, Given } from './command-line.ts';
import { readFile } from './input.ts';
import { openSheets } from './sheets.ts';
import { invitedRules, parseUserList, type ListedUser, type UserList } from './user-list.ts';

export const linkCommands: readonly Command[] = [
  {
    name: 'add', takes: '[USERNAME] [--email ADDRESS] [--file FILE] [--url URL] [--sheets FILE]',
    help: 'Add one user, or all in a file of <username>,<email>; print <username>,<link>; revoke older links',
    run: onAccounts(addUsers),
  },
  onUser(
    'link', 'Print a link with which the user can set a new password once, within a day',
    async (user, parts, { options }) => `${(await makeLink(user, toPrefix(options, parts), parts)).link}\n`,
    ' [--url URL]',
  ),
];

const DISABLED = 'is disabled, so a link would not work: run the command "enable" first';
const HAS_PASSWORD =
  'has a password already, so no link was made; if a stranger chose the password, run the command "link"';

async function addUsers({ operand: username, options }: Given, parts: CommandParts): Promise<string> {
  const { email, file, url, sheets } = options;
  if (file === undefined ? username === '' || email === undefined : username !== '' || email !== undefined) {
    throw new Error('add needs USERNAME with --email ADDRESS, or --file FILE');
  }
  if (sheets !== undefined && url === undefined) {
    throw new Error('--sheets needs --url, because a link on paper must have the address of the service');
  }
  const prefix = toPrefix(options, parts);
  const list = file === undefined ? listOne(username, email) : parseUserList(readFile(file));
  const { invitations, taken, leftOut } = await plan(list.users, parts);
  if (list.faults.length + taken.length > 0) {
    throw new Error([...list.faults, ...taken, ...list.repetitions, 'No user was added'].join('\n'));
  }
  const writeSheet = sheets === undefined ? undefined : openSheets(sheets);
  for (const { user, account } of invitations) {
    const { link, expiresAt } = await makeLink(account ?? (await invite(user, parts)), prefix, parts);
    process.stdout.write(`${user.username},${link}\n`);
    writeSheet?.(user.username, link, expiresAt);
  }
  const notDone = [...list.repetitions, ...leftOut];
  if (notDone.length > 0) {
    throw new Error(notDone.join('\n'));
  }
  return '';
}

/** Without `--url`, the printed links are paths. */
function toPrefix({ url }: Given['options'], { config: { basePath = '' } }: CommandParts): string {
  if (url !== undefined && !(/^https?:\/\/[^/?#@\\\s]+\/?$/.test(url) && URL.canParse(url))) {
    throw new Error(`Cannot use --url "${url}": expected the form https://x.example; BASE_PATH adds a path`);
  }
  return url === undefined ? basePath : new URL(url).origin + basePath;
}

function listOne(username: string, email = ''): UserList {
  const user = accept({ username, email }, invitedRules, `Cannot add "${username}"`);
  return { users: [user], faults: [], repetitions: [] };
}

/** @returns `invitations` are the users who need a password link; `taken` and `leftOut` are messages. */
async function plan(listed: readonly ListedUser[], { users }: CommandParts) {
  const invitations: { readonly user: ListedUser; readonly account: User | undefined }[] = [];
  const taken: string[] = [];
  const leftOut: string[] = [];
  for (const user of listed) {
    const account = await users.findWithPassword(toNameKey(user.username));
    const subject = `${user.line === undefined ? '' : `Line ${user.line}: `}"${user.username}"`;
    if (account !== undefined && account.user.email !== user.email) {
      taken.push(`${subject} exists already, with another email address`);
    } else if (account !== undefined && account.passwordHash !== NO_PASSWORD) {
      leftOut.push(`${subject} ${HAS_PASSWORD}`);
    } else if (account?.user.isDisabled === true) {
      leftOut.push(`${subject} ${DISABLED}`);
    } else {
      invitations.push({ user, account: account?.user });
    }
  }
  return { invitations, taken, leftOut };
}

async function invite({ username, email }: ListedUser, { users, clock }: CommandParts): Promise<User> {
  const user = { username, email, passwordHash: NO_PASSWORD, isAdmin: false };
  const outcome = await users.insert(user, toProgramOrigin(clock));
  if (outcome.kind === 'refused') {
    throw new Error(`"${username}" was registered by somebody else a moment ago: run the command again`);
  }
  return outcome.result;
}

async function makeLink(user: User, prefix: string, { database, clock }: CommandParts) {
  if (user.isDisabled) {
    throw new Error(`"${user.username}" ${DISABLED}`);
  }
  const outcome = await makePasswordLink(database, prefix, user, toProgramOrigin(clock));
  return requireChanged(outcome, 'make a link for', user);
}
