/** Creates the cells that describe users, projects and tokens in lists. */
/** @import { Child } from '../shared/elements.js' */
import { element } from '../shared/elements.js';
import { me } from './api.js';
import { avatar, badge, isDue, isolate, link, soft, time, toHash, twoLines } from './dom.js';

/**
 * `invited` is true if the user has no password yet. Only administrators get this member.
 *
 * @typedef {{ id: number, username: string, email: string, date_created: string, is_admin: boolean,
 *   disabled: boolean, invited?: boolean, projects: readonly Project[], projects_total?: number }} User
 *
 * @typedef {{ id: number, name: string, description: string, date_created: string,
 *   owner: { username: string, email: string } }} Project
 */

/**
 * Tokens have the member `username` (the owner) only in a list of all users' tokens.
 *
 * @typedef {{ id: number, name: string, last_four: string, scope: 'full' | 'read_only',
 *   audience: readonly string[] | null, date_created: string, expiration_date: string,
 *   last_used: string | null, username?: string }} Token
 */

/** @param {User} user */
export function countProjects({ projects, projects_total: total }) {
  return total ?? projects.length;
}

/** @param {User} user */
export function toPerson({ id, username, email, disabled }) {
  const name = link(toHash(['users', id]), isolate(username), { class: disabled && 'off' });
  return twoLines(avatar(username), name, isolate(email));
}

/** @param {User} user */
export function toBadges({ is_admin: isAdmin, disabled, invited }) {
  return [
    isAdmin && badge('Administrator', 'good'), disabled && badge('Disabled'),
    invited && badge('Invited', 'due'),
  ];
}

/** @param {Project} project */
export function toProject({ id, name, description }) {
  const words = description === '' ? '—' : element('span', { dir: 'auto' }, description.slice(0, 200));
  return twoLines('', link(toHash(['projects', id]), isolate(name)), words);
}

/** @param {string} username */
export function toOwner(username) {
  return link(toHash(['users', username]), isolate(username));
}

/** @param {string} username */
export function toOwnerCell(username) {
  return element('div', {}, avatar(username), toOwner(username));
}

/** @param {Token} token */
export function toToken({ id, name, last_four: end, audience }) {
  const words = name === '' ? soft('Unnamed') : element('strong', {}, isolate(name));
  return twoLines(
    '', [words, id === me()?.token?.id && [' ', badge('this console', 'good')]],
    [element('code', {}, `…${end}`), audience && ` for ${audience.join(', ')}`],
  );
}

/** @type {Readonly<Record<string, string>>} */
const SCOPES = {
  full: 'Full access', read_only: 'Read-only', identity: 'Identity', set_password: 'Password link',
};

/** @param {Pick<Token, 'scope'>} token */
export function toScope({ scope }) {
  return badge(SCOPES[scope] ?? scope);
}

/** @param {Token} token */
export function toExpiry({ id, expiration_date: expires }) {
  return element('span', { class: isDue(expires) && id !== me()?.token?.id && 'due' }, time(expires));
}

/** @param {Token} token */
export function toTokenRow({ name, last_four: end, expiration_date: expires }) {
  const words = name === '' ? soft('Unnamed') : isolate(name);
  return [
    element('span', {}, words, ' ', element('code', { class: 'soft' }, `…${end}`)),
    element('span', { class: isDue(expires) ? 'due' : 'soft' }, 'expires ', time(expires)),
  ];
}

/** @param {readonly Child[]} rows */
export function toRows(rows) {
  return element('ul', { class: 'rows' }, rows.map((row) => element('li', {}, row)));
}
