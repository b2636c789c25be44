/**
 * The first screen of the console. Administrators see totals (such as the number of users), recent activity
 * and new users. All other users see their own projects. Every user sees a list of the user's own tokens.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Call } from './api.js' */
/** @import { Screen } from './screen.js' */
/** @import { AuditEvent } from './events.js' */
/** @import { Token, User } from './rows.js' */
import { element } from '../shared/elements.js';
import { me } from './api.js';
import {
  draw, emptyState, heading, isDue, link, soft, time, toCount, toHash, toNumber,
} from './dom.js';
import { countFailures, createEvents, EVENTS_READ } from './events.js';
import { toPerson, toProject, toRows, toTokenRow } from './rows.js';
import { createPanel, createPart } from './screen.js';

const ROWS_SHOWN = '6';
const ENTRIES_SHOWN = 14;
const NEWEST_SHOWN = 4;

/** `long_lived` leaves out tokens with a lifetime of at most a day, such as tokens of console sessions. */
const EXPIRING = { long_lived: 'true', sort: 'expiration_date' };

const TOKENS_READ = '100';

/** The chart of registrations is drawn from this number of newest users. */
const USERS_READ = '500';

/** @param {Screen} screen */
export function show({ page, signal }) {
  const owner = me()?.username ?? '';
  const isAdmin = me()?.is_admin === true;
  draw(
    page,
    heading('Overview'),
    element('div', { class: 'numbers' }, isAdmin ? createTiles() : [
      createTile('Your projects', 'projects', { owner }), createTile('Your valid tokens', 'tokens'),
    ]),
    element(
      'div', { class: 'columns' },
      element('div', {}, isAdmin ? createActivity() : createProjects()),
      element('div', {}, isAdmin && createNewest(), createTokens()),
    ),
  );

  function createTiles() {
    const failures = {
      action: 'sign_in.failures', since: `${new Date().toISOString().slice(0, 10)}T00:00:00Z`,
    };
    const expiring = { all_users: 'true', ...EXPIRING, items_per_page: TOKENS_READ };
    return [
      createTile('Users', 'users'),
      createTile('Projects', 'projects'),
      createPart(signal, { path: ['tokens'], query: expiring }, toExpiringTile),
      createPart(
        signal, { path: ['audit_events'], query: { ...failures, items_per_page: EVENTS_READ } },
        (answer) => toFailuresTile(answer, toHash(['audit'], failures)),
      ),
    ];
  }

  /** @type {(label: string, resource: string, query?: Record<string, string>) => HTMLElement} */
  function createTile(label, resource, query) {
    return createPart(signal, toFirst(resource, query), ({ total }) => (
      toTile(label, toHash([resource], query), total && toNumber(total))
    ));
  }

  function createActivity() {
    const call = { path: ['audit_events'], query: { sort: '-id', items_per_page: EVENTS_READ } };
    return createPanel(
      'Recent activity', link(toHash(['audit']), 'Audit trail'),
      createPart(signal, call, ({ body }) => (
        createEvents(body.audit_events, { entriesMax: ENTRIES_SHOWN })
      )),
    );
  }

  function createProjects() {
    const call = { path: ['projects'], query: { owner, sort: '-id', items_per_page: ROWS_SHOWN } };
    const first = link(toHash(['projects']), 'Create your first project', { class: 'button' });
    return createPanel(
      'Your projects', link(toHash(['projects'], { owner }), 'All your projects'),
      createPart(signal, call, ({ body: { projects } }) => (projects.length === 0
        ? emptyState('You have no projects yet.', first) : toRows(projects.map(toProject))
      )),
    );
  }

  function createTokens() {
    const call = { path: ['tokens'], query: { ...EXPIRING, items_per_page: ROWS_SHOWN } };
    return createPanel(
      'Your tokens', link(toHash(['tokens'], isAdmin ? { username: owner } : {}), 'Manage'),
      createPart(signal, call, ({ body: { tokens } }) => (tokens.length === 0
        ? soft('You have no tokens with a lifetime of more than a day.') : toRows(tokens.map(toTokenRow))
      )),
    );
  }

  function createNewest() {
    const call = { path: ['users'], query: { sort: '-id', items_per_page: USERS_READ } };
    return createPanel(
      'Newest users', link(toHash(['users'], { sort: '-id' }), 'All users'),
      createPart(signal, call, ({ body: { users }, hasNext }) => [
        createRegistrations(users, hasNext),
        toRows(users.slice(0, NEWEST_SHOWN).map(toUserRow)),
      ]),
    );
  }
}

/**
 * Only the total of the list is needed, so the request asks for only one item.
 *
 * @type {(path: string, query?: object) => Call}
 */
function toFirst(path, query) {
  return { path: [path], query: { ...query, items_per_page: '1' } };
}

/** @type {(label: string, hash: string, number: Child, ...more: Child[]) => HTMLElement} */
function toTile(label, hash, number, ...more) {
  return link(hash, [element('span', {}, label), element('strong', {}, number), more], { class: 'tile' });
}

/** @param {Answer} answer */
function toExpiringTile({ body: { tokens }, hasNext, total }) {
  const due = tokens.filter((/** @type {Token} */ { expiration_date: expires }) => isDue(expires)).length;
  const relation = due < tokens.length || !hasNext ? 'exact' : 'at_least';
  return toTile(
    'Expiring tokens', toHash(['tokens'], EXPIRING),
    element('span', { class: due > 0 && 'due' }, toNumber({ count: due, relation })),
    soft(`In the next 7 days${total ? `, out of ${toNumber(total)} long-lived tokens` : ''}`),
  );
}

/** An event can count many failed sign-ins. @type {(answer: Answer, hash: string) => HTMLElement} */
function toFailuresTile({ body: { audit_events: events }, hasNext }, hash) {
  const count = events.reduce((/** @type {number} */ sum, /** @type {AuditEvent} */ event) => (
    sum + countFailures(event)
  ), 0);
  const number = toNumber({ count, relation: hasNext ? 'at_least' : 'exact' });
  return toTile('Failed sign-ins', hash, number, soft('Recorded since midnight UTC'));
}

/** @param {User} user */
function toUserRow(user) {
  return [toPerson(user), element('span', { class: 'soft' }, time(user.date_created))];
}

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY_MS = 86_400_000;
const DAYS_SHOWN = 14;
const STROKES_MAX = 7;
const STROKE_PIXELS = 6;

/**
 * The chart has a column for each day. A column has a stroke (a short line) for each registration. If a day
 * has more than `STROKES_MAX` registrations, each stroke stands for several registrations. The chart appears
 * only if all registrations on the days of the chart are known.
 *
 * @param {readonly User[]} users - The newest user comes first.
 * @param {boolean} hasOlder - True if there are older users, who are not in `users`.
 */
function createRegistrations(users, hasOlder) {
  const dates = Array.from({ length: DAYS_SHOWN }, (_, index) => (
    new Date(Date.now() - (DAYS_SHOWN - 1 - index) * DAY_MS).toISOString().slice(0, 10)
  ));
  const registered = users.map(({ date_created: at }) => at.slice(0, 10));
  const counts = dates.map((date) => registered.filter((each) => each === date).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const isComplete = !hasOlder || total < users.length;
  const words = dates.map((date, index) => `${DAY.format(new Date(date))}: ${counts[index]}`);
  const most = Math.max(STROKES_MAX, ...counts);
  const bars = counts.map((count, index) => {
    const bar = element('span', { title: words[index] });
    bar.style.height = `${Math.ceil(count / most * STROKES_MAX) * STROKE_PIXELS}px`;
    return bar;
  });
  const sentence = toCount(total, 'registration', isComplete ? 'exact' : 'at_least');
  const ends = [words.at(0), words.at(-1)].map((text) => element('span', {}, text?.split(':')[0]));
  return [
    element('p', { class: 'soft' }, `${sentence} in ${DAYS_SHOWN} days`),
    isComplete && [
      element('div', { 'class': 'chart', 'role': 'img', 'aria-label': words.join(', ') }, bars),
      element('div', { 'class': 'axis', 'aria-hidden': 'true' }, ends),
    ],
  ];
}
