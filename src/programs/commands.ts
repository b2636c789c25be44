/** The commands of `admin.js`, as one table: how each is called, what it does, and what runs it. */
import {
  create,
  printToken,
  listUsers,
  onAccounts,
  resetPassword,
  revokeTokens,
  updateWith,
} from './account-commands.ts';
import type { Command } from './command-line.ts';
import { backUp, check, exportTo, importFrom, restore } from './data-commands.ts';

export const OPTIONS = {
  'email': { value: 'ADDRESS', help: 'The email address of the new user' },
  'password-file': {
    value: 'FILE',
    help: 'Read the password from a file; otherwise it is asked for, or read from standard input',
  },
} as const;

export const COMMANDS: readonly Command[] = [
  {
    name: 'list',
    help: 'List all users, one per line: id, username, email, role and state',
    run: onAccounts(listUsers),
  },
  {
    name: 'create',
    operand: 'USERNAME',
    options: { 'email': 'required', 'password-file': 'optional' },
    help: 'Create an administrator',
    run: onAccounts(create),
  },
  {
    name: 'promote',
    operand: 'USERNAME',
    help: 'Make a user an administrator',
    run: onAccounts(updateWith('promote', { isAdmin: true }, 'is an administrator')),
  },
  {
    name: 'demote',
    operand: 'USERNAME',
    help: 'Make an administrator a plain user, except the last one',
    run: onAccounts(updateWith('demote', { isAdmin: false }, 'is not an administrator')),
  },
  {
    name: 'disable',
    operand: 'USERNAME',
    help: 'Keep a user from signing in, except the last administrator',
    run: onAccounts(updateWith('disable', { isDisabled: true }, 'is disabled')),
  },
  {
    name: 'enable',
    operand: 'USERNAME',
    help: 'Let a user sign in again',
    run: onAccounts(updateWith('enable', { isDisabled: false }, 'is enabled')),
  },
  {
    name: 'reset-password',
    operand: 'USERNAME',
    options: { 'password-file': 'optional' },
    help: 'Set a new password and revoke all tokens of a user',
    run: onAccounts(resetPassword),
  },
  {
    name: 'token',
    operand: 'USERNAME',
    help: 'Issue a token of the default lifetime, and print only the token',
    run: onAccounts(printToken),
  },
  {
    name: 'revoke-tokens',
    operand: 'USERNAME',
    help: 'Revoke all tokens of a user',
    run: onAccounts(revokeTokens),
  },
  {
    name: 'backup',
    operand: 'FILE',
    help: 'Copy the database to a new file, also while the service runs',
    run: backUp,
  },
  {
    name: 'restore',
    operand: 'FILE',
    help: 'Replace the database with a backup; stop the service first',
    run: restore,
  },
  {
    name: 'check',
    operand: '[FILE]',
    help: 'Look for damage: in the file, in references, and in derived data',
    run: check,
  },
  {
    name: 'export',
    operand: 'FILE',
    help: 'Write all data to a new file, as JSON lines',
    run: exportTo,
  },
  {
    name: 'import',
    operand: 'FILE',
    help: 'Read an export into an empty or new database, or continue an import that was interrupted',
    run: importFrom,
  },
];
