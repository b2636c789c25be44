/**
 * The first screen. Administrators see counts, recent activity and new users; other users see their own
 * projects and tokens. Each count is the total of a list. Sessions of the console count as no tokens.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Call, Count } from './api.js' */
/** @import { Screen } from './screen.js' */
/** @import { Token, User } from './rows.js' */
import { element } from '../shared/elements.js';
import {
  draw, emptyState, heading, isDue, isolate, link, soft, time, toCount, toHash, toNumber,
} from './dom.js';
import { createEvents } from './events.js';
import { toPerson, toProject } from './rows.js';
import { createReader } from './screen.js';
import { me } from './sign-in.js';

const ROWS_SHOWN = 6;
const NEWEST_SHOWN = 4;

/** The parameters of a list of tokens: those that live for more than a day, the next to expire first. */
const EXPIRING = { long_lived: 'true', sort: 'expiration_date' };

const TOKENS_READ = '100';

/** So many of the newest users are read for the chart of registrations. */
const USERS_READ = '500';

/** @param {Screen} screen */
export function showOverview({ page, signal }) {
  const caller = me();
  const owner = caller?.username ?? '';
  const isAdmin = caller?.is_admin === true;
  draw(
    page,
    heading('Overview'),
    element('div', { class: 'numbers' }, isAdmin ? createTiles() : createOwnTiles()),
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
    return [
      createTile('Users', { path: ['users'] }, toHash(['users'])),
      createTile('Projects', { path: ['projects'] }, toHash(['projects'])),
      createExpiring(),
      createTile(
        'Failed sign-ins', { path: ['audit_events'], query: failures }, toHash(['audit'], failures),
        'Records since midnight UTC',
      ),
    ];
  }

  function createOwnTiles() {
    return [
      createTile('Your projects', { path: ['projects'], query: { owner } }, toHash(['projects'], { owner })),
      createTile('Your valid tokens', { path: ['tokens'] }, toHash(['tokens'])),
    ];
  }

  /**
   * @param {string} label
   * @param {{ path: string[], query?: Record<string, string> }} list - The list whose total is shown.
   * @param {string} hash
   * @param {string} [more]
   */
  function createTile(label, { path, query }, hash, more) {
    const place = element('div');
    const call = { path, query: { ...query, items_per_page: '1' } };
    createReader({
      place, signal, toCall: () => call,
      show: ({ total }) => draw(place, element(
        'a', { class: 'tile', href: hash }, element('span', {}, label),
        element('strong', {}, total && toNumber(total)), more && soft(more),
      )),
    });
    return place;
  }

  /** The tokens of all users that expire within a week. */
  function createExpiring() {
    const place = element('div');
    const query = { all_users: 'true', ...EXPIRING };
    createReader({
      place, signal, toCall: () => ({ path: ['tokens'], query: { ...query, items_per_page: TOKENS_READ } }),
      show: ({ body, hasNext, total }) => {
        const tokens = /** @type {readonly Token[]} */ (body.tokens);
        const due = tokens.filter(({ expiration_date: expires }) => isDue(expires)).length;
        const isAll = due < tokens.length || !hasNext;
        const count = toNumber({ count: due, relation: isAll ? 'exact' : 'at_least' });
        draw(place, element(
          'a', { class: 'tile', href: toHash(['tokens'], EXPIRING) },
          element('span', {}, 'Expiring tokens'), element('strong', { class: due > 0 && 'due' }, count),
          soft(total ? `Within a week, of ${toNumber(total)}` : 'Within a week'),
        ));
      },
    });
    return place;
  }

  /**
   * @param {string} title
   * @param {Call} call
   * @param {(answer: Answer) => Child} toContent
   * @param {Child} [more]
   */
  function createPanel(title, call, toContent, more) {
    const place = element('div');
    createReader({ place, signal, toCall: () => call, show: (answer) => draw(place, toContent(answer)) });
    return element('section', { class: 'panel' }, element('h2', {}, title, more), place);
  }

  function createActivity() {
    const call = { path: ['audit_events'], query: { sort: '-id', items_per_page: '14' } };
    return createPanel(
      'Recent activity', call, ({ body }) => createEvents(body.audit_events),
      link(toHash(['audit']), 'Audit trail'),
    );
  }

  function createProjects() {
    const call = { path: ['projects'], query: { owner, sort: '-id', items_per_page: String(ROWS_SHOWN) } };
    const first = link(toHash(['projects']), 'Create your first project', { class: 'button' });
    return createPanel('Your projects', call, ({ body: { projects } }) => (
      projects.length === 0 ? emptyState('You have no projects yet.', first) : toRows(projects.map(toProject))
    ), link(toHash(['projects'], { owner }), 'All your projects'));
  }

  function createTokens() {
    const call = { path: ['tokens'], query: { ...EXPIRING, items_per_page: String(ROWS_SHOWN) } };
    return createPanel('Your tokens', call, ({ body: { tokens } }) => (
      tokens.length === 0 ? soft('None that lives for more than a day.') : toRows(tokens.map(toTokenRow))
    ), link(toHash(['tokens'], isAdmin ? { username: owner } : {}), 'Manage'));
  }

  function createNewest() {
    const call = { path: ['users'], query: { sort: '-id', items_per_page: USERS_READ } };
    const more = link(toHash(['users'], { sort: '-id' }), 'All users');
    return createPanel('Newest users', call, ({ body: { users }, hasNext }) => [
      createRegistrations(users, hasNext),
      toRows(users.slice(0, NEWEST_SHOWN).map(toUserRow)),
    ], more);
  }
}

/** @param {User} user */
function toUserRow(user) {
  return [toPerson(user), element('span', { class: 'soft' }, time(user.date_created))];
}

/** @param {Token} token */
function toTokenRow({ name, last_four: end, expiration_date: expires }) {
  const words = name === '' ? soft('Unnamed') : isolate(name);
  return [
    element('span', {}, words, ' ', element('code', { class: 'soft' }, `…${end}`)),
    element('span', { class: isDue(expires) ? 'due' : 'soft' }, 'expires ', time(expires)),
  ];
}

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY_MS = 86_400_000;
const DAYS_SHOWN = 14;
const CHART_PIXELS = 44;
const STROKE_PIXELS = 4;

/**
 * A column for each day: one stroke per registration, or fewer if those of the busiest day do not fit.
 *
 * @param {readonly User[]} users - The newest comes first.
 * @param {boolean} hasOlder - True if there are older users than these.
 */
function createRegistrations(users, hasOlder) {
  const registered = users.map(({ date_created: at }) => at.slice(0, 10));
  const dates = Array.from({ length: DAYS_SHOWN }, (_, index) => (
    new Date(Date.now() - (DAYS_SHOWN - 1 - index) * DAY_MS).toISOString().slice(0, 10)
  ));
  const oldest = hasOlder ? registered.at(-1) ?? '' : '';
  const days = dates.map((date) => toDay(date, registered.filter((each) => each === date).length, oldest));
  const isComplete = days.every(({ relation }) => relation === 'exact');
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(5, ...days.map(({ count }) => count));
  const stroke = Math.max(STROKE_PIXELS, Math.floor(CHART_PIXELS / most));
  const bars = days.map(({ count, words }) => {
    const bar = element('span', { title: words });
    bar.style.height = `${Math.ceil(Math.min(count, count / most * CHART_PIXELS / stroke)) * stroke}px`;
    return bar;
  });
  const label = days.map(({ words }) => words).join(', ');
  const chart = element('div', { 'class': 'chart', 'role': 'img', 'aria-label': label }, bars);
  chart.style.setProperty('--stroke', `${stroke}px`);
  const ends = [dates.at(0), dates.at(-1)].map((date) => element('span', {}, date && toShortDate(date)));
  return [
    element('p', { class: 'soft' }, isComplete
      ? `${toCount(total, 'registration')} in ${DAYS_SHOWN} days`
      : `Only the newest ${USERS_READ} users are counted. They go back to ${toShortDate(oldest)}.`),
    chart,
    element('div', { 'class': 'axis', 'aria-hidden': 'true' }, ends),
  ];
}

/**
 * @param {string} date
 * @param {number} count
 * @param {string} oldest - The day of the oldest user who was read; empty if all users were read.
 * @returns {Count & { words: string }}
 */
function toDay(date, count, oldest) {
  /** @type {Count} */
  const counted = { count, relation: date > oldest ? 'exact' : 'at_least' };
  const number = date < oldest ? 'unknown' : toNumber(counted);
  return { ...counted, words: `${toShortDate(date)}: ${number}` };
}

/** @param {string} date - A day in UTC, such as `2026-01-31`. */
function toShortDate(date) {
  return DAY.format(new Date(date));
}

/** @param {readonly Child[]} rows */
function toRows(rows) {
  return element('ul', { class: 'rows' }, rows.map((row) => element('li', {}, row)));
}
