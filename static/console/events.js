/** Shows events of the audit trail as sentences. A button next to a sentence shows the details. */
import { element } from '../shared/elements.js';
import { avatar, badge, facts, isolate, link, soft, time, toCount, toHash } from './dom.js';
import { SESSION_NAME } from './sign-in.js';

/**
 * @typedef {{ id: number, date_created: string, action: string, resource: { type: string, id: number | null,
 *   name: string }, details: string, user: { id: number, username: string } | null, sign_in: 'password' |
 *   'token' | 'none' | 'program', token_id: number | null, request_id: string, address: string }} AuditEvent
 */

/** A test compares the actions of this table with src/model/audit.ts. @type {Record<string, string>} */
export const VERBS = {
  'user.create': 'created user',
  'user.update': 'changed user',
  'user.password': 'changed the password of',
  'user.password_link': 'made a password link for',
  'user.delete': 'deleted user',
  'project.create': 'created project',
  'project.update': 'changed project',
  'project.delete': 'deleted project',
  'token.create': 'created token',
  'token.renew': 'renewed token',
  'token.revoke': 'revoked token',
  'token.revoke_all': 'revoked all tokens of',
  'sign_in.failures': 'failed sign-ins',
  'audit.delete': 'removed old events',
};

/** The verb for an event that changed only `is_admin` or only `disabled`. @type {Record<string, string>} */
const VERBS_OF_DETAILS = {
  'is_admin=true': 'promoted', 'is_admin=false': 'demoted',
  'disabled=true': 'disabled', 'disabled=false': 'enabled',
};

/** @type {Record<string, string>} */
const WORDS_OF_DETAILS = {
  'scope=full': 'full access', 'scope=read_only': 'read-only', 'scope=identity': 'identity',
  'is_admin=true': 'administrator',
  'owned_projects=delete': 'with their projects', 'owned_projects=transfer': 'projects transferred',
  'owned_projects=refuse': '',
};

/** After these actions, the resource no longer exists, so no sentence links to the resource. */
const DELETIONS = ['user.delete', 'project.delete'];

/** @typedef {readonly [AuditEvent, ...AuditEvent[]]} Group One entry shows all events of a group. */

/** For a short list of entries, the console reads this number of events: one entry can show many events. */
export const EVENTS_READ = '100';

/**
 * @param {readonly AuditEvent[]} events
 * @param {{ entriesMax?: number, toTime?: (at: string) => HTMLElement }} [options]
 */
export function createEvents(events, { entriesMax, toTime = time } = {}) {
  const groups = groupEvents(events).slice(0, entriesMax);
  return element('ol', { class: 'events' }, groups.map((group) => createEntry(group, toTime)));
}

/**
 * Consecutive events with the same key become one group. Consecutive sign-ins and sign-outs of several users
 * become one group for each user.
 *
 * @param {readonly AuditEvent[]} events
 */
function groupEvents(events) {
  /** @type {[AuditEvent, ...AuditEvent[]][]} */
  const groups = [];
  /** The groups that the next event can join. @type {Map<string, AuditEvent[]>} */
  const open = new Map();
  for (const event of events) {
    const key = toKey(event);
    const last = groups.at(-1)?.[0];
    if (!open.has(key) && !(last && findSessionVerb(last) && findSessionVerb(event))) {
      open.clear();
    }
    const group = open.get(key);
    if (group) {
      group.push(event);
    } else {
      groups.push([event]);
      open.set(key, groups.at(-1) ?? []);
    }
  }
  return groups;
}

/** Each event about failed sign-ins has its own count, and therefore its own key. */
function toKey(/** @type {AuditEvent} */ event) {
  const { id, action, details, resource, user } = event;
  if (findSessionVerb(event)) {
    return JSON.stringify(user);
  }
  const isOwnEntry = action === 'sign_in.failures' || resource.type === 'token';
  return JSON.stringify([action, details, resource.name, user, isOwnEntry && id]);
}

/** @type {(group: Group, toTime: (at: string) => HTMLElement) => Node} */
function createEntry(group, toTime) {
  const [event] = group;
  const { id, date_created: at, action, user } = event;
  const more = element('div', { class: 'more', id: `event-${id}`, hidden: true });
  const fold = element('button', {
    'type': 'button', 'class': 'fold quiet small', 'aria-expanded': 'false', 'aria-controls': more.id,
    'click': unfold,
  }, element('span', { class: 'unseen' }, 'Details'));
  const face = user?.username ?? (isRegistration(event) ? event.resource.name : 'Rollcall');
  const alarm = action === 'sign_in.failures'
    && element('span', { 'class': 'avatar alarm', 'aria-hidden': 'true' }, '!');
  return element(
    'li', { class: 'event' }, alarm || avatar(face),
    element('p', {}, toSentence(group)), toTime(at),
    fold, more,
  );

  function unfold() {
    more.hidden = !more.hidden;
    fold.setAttribute('aria-expanded', String(!more.hidden));
    more.replaceChildren(...group.map(toFacts));
  }
}

/** @param {AuditEvent} event */
function toFacts({
  date_created: at, action, details, sign_in: signIn, token_id: token, address, request_id: request, user,
  resource,
}) {
  return facts(
    ['Time', at], ['Action', element('code', {}, action)],
    details !== '' && ['Change', element('code', {}, details)],
    user !== null && ['Made by', toTrail(user.id)],
    resource.type === 'user' && resource.id !== null && ['About', toTrail(resource.id)],
    ['Sign-in', signIn === 'token' ? `With token ${token}` : WORDS_OF_SIGN_IN[signIn]],
    address !== '' && ['Address', address], request !== '' && ['Request', element('code', {}, request)],
  );
}

/** @returns A text such as `signed in 7 times and signed out`. @param {Group} group */
function describeSessions(group) {
  return ['signed in', 'signed out'].flatMap((verb) => {
    const count = group.filter((event) => findSessionVerb(event) === verb).length;
    return count === 0 ? [] : count === 1 ? verb : `${verb} ${count} times`;
  }).join(' and ');
}

/** @param {AuditEvent} event */
function findSessionVerb({ action, resource: { type, id, name }, token_id: token }) {
  if (type !== 'token' || name !== SESSION_NAME) {
    return undefined;
  }
  return action === 'token.create' ? 'signed in'
    : action === 'token.revoke' && token === id ? 'signed out'
    : undefined;
}

/** The id also finds the events of a renamed or deleted user. @param {number} id */
function toTrail(id) {
  return link(toHash(['audit'], { user_id: String(id) }), `user ${id}`);
}

const WORDS_OF_SIGN_IN = { password: 'With the password', none: 'None', program: 'None: Rollcall itself' };

/** @param {AuditEvent} event */
function isRegistration({ action, sign_in: signIn }) {
  return action === 'user.create' && signIn === 'none';
}

/** @param {AuditEvent} event - An event about failed sign-ins. */
export function countFailures({ details }) {
  return Number(/^count=(\d+)/.exec(details)?.[1]);
}

/** @param {Group} group */
function toSentence(group) {
  const [event] = group;
  const { action, details, user, sign_in: signIn } = event;
  if (action === 'sign_in.failures') {
    const rest = /username=others/.test(details) ? 'other usernames' : 'an unknown username';
    const attacked = event.resource.type === 'user' ? toObject(event) : rest;
    return [element('strong', {}, toCount(countFailures(event), 'failed sign-in')), ' as ', attacked];
  }
  if (action === 'audit.delete') {
    return ['Rollcall removed old events ', badge(details)];
  }
  const object = toObject(event);
  if (isRegistration(event)) {
    return [object, ' registered'];
  }
  const nobody = soft(signIn === 'program' ? 'Rollcall' : 'Somebody who was not signed in');
  const subject = user ? link(toHash(['users', user.id]), isolate(user.username)) : nobody;
  if (findSessionVerb(event)) {
    return [subject, ` ${describeSessions(group)} at the console`];
  }
  const verb = action === 'user.update' ? VERBS_OF_DETAILS[details] : undefined;
  const words = verb ? '' : WORDS_OF_DETAILS[details] ?? details.replace(/\bowner_id=/, 'owner: user ');
  return [
    subject, ` ${verb ?? VERBS[action] ?? action} `, object, words !== '' && [' ', badge(words)],
    group.length > 1 && soft(` (${group.length} times)`),
  ];
}

/** @param {AuditEvent} event */
function toObject({ action, resource: { type, id, name } }) {
  const words = name === '' ? soft('unnamed') : isolate(name);
  const isThere = id !== null && !DELETIONS.includes(action) && type !== 'token';
  return isThere ? link(toHash([`${type}s`, id]), words) : element('strong', {}, words);
}
