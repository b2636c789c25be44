/**
 * The first screen. Administrators see counts, recent activity, tokens that expire soon and the state of the
 * service; other users see their own projects and tokens.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Call, Count } from './api.js' */
/** @import { Screen } from './screen.js' */
/** @import { Token, User } from './rows.js' */
import { element } from '../shared/elements.js';
import { readDescription } from './api.js';
import {
  badge, draw, emptyState, facts, heading, isDue, isolate, link, soft, time, toCount, toHash, toNumber,
} from './dom.js';
import { createEvents } from './events.js';
import { toPerson, toProject } from './rows.js';
import { createReader } from './screen.js';
import { me } from './sign-in.js';

/**
 * The counts of the service: `own` for the caller's records, and `service`, for administrators, for all.
 *
 * @typedef {{ own: { projects: Count, tokens: Count, tokens_expiring: Count }, service?: { users: Count,
 *   administrators: Count, disabled_users: Count, projects: Count, tokens: Count, tokens_expiring: Count,
 *   failed_sign_ins: Count, registrations: readonly (Count & { date: string })[] } }} Summary
 */

const SHOWN = '6';

/** @param {Screen} screen */
export function showOverview({ page, signal }) {
  const caller = me();
  const isAdmin = caller?.is_admin === true;
  const numbers = element('div', { class: 'numbers' });
  const registrations = element('div', { hidden: true });
  draw(
    page,
    heading('Overview'),
    numbers,
    element(
      'div', { class: 'columns' },
      element('div', {}, isAdmin ? createActivity() : createProjects()),
      element('div', {}, registrations, createTokens(), isAdmin && createNewest(), createHealth()),
    ),
  );
  createReader({ place: numbers, signal, toCall: () => ({ path: ['summary'] }), show: showSummary });

  /** @param {{ body: Summary }} answer */
  function showSummary({ body: { own, service } }) {
    draw(numbers, service ? toTiles(service) : toOwnTiles(own, caller?.username ?? ''));
    draw(registrations, service && createRegistrations(service.registrations));
    registrations.hidden = service === undefined;
  }

  /**
   * @param {string} title
   * @param {Call} call
   * @param {(body: any) => Child} toContent
   * @param {Child} [more]
   */
  function createPanel(title, call, toContent, more) {
    const place = element('div');
    createReader({ place, signal, toCall: () => call, show: ({ body }) => draw(place, toContent(body)) });
    return element('section', { class: 'panel' }, element('h2', {}, title, more), place);
  }

  function createActivity() {
    const call = { path: ['audit_events'], query: { sort: '-id', items_per_page: '14' } };
    return createPanel(
      'Recent activity', call, ({ audit_events: events }) => createEvents(events),
      link(toHash(['audit']), 'Audit trail'),
    );
  }

  function createProjects() {
    const owner = caller?.username ?? '';
    const call = { path: ['projects'], query: { owner, sort: '-id', items_per_page: SHOWN } };
    const first = link(toHash(['projects']), 'Create your first project', { class: 'button' });
    return createPanel('Your projects', call, ({ projects }) => (
      projects.length === 0 ? emptyState('You have no projects yet.', first) : toRows(projects.map(toProject))
    ), link(toHash(['projects'], { owner }), 'All your projects'));
  }

  function createTokens() {
    const call = { path: ['tokens'], query: { items_per_page: '100' } };
    return createPanel('Your tokens', call, ({ tokens }) => {
      const others = /** @type {Token[]} */ (tokens).filter(({ id }) => id !== caller?.token?.id);
      const soonest = others.toSorted((left, right) => (
        left.expiration_date < right.expiration_date ? -1 : 1
      ));
      return others.length === 0
        ? soft('None but the token of this session.')
        : toRows(soonest.slice(0, Number(SHOWN)).map(toTokenRow));
    }, link(toHash(['tokens'], isAdmin ? { username: caller.username } : {}), 'Manage'));
  }

  function createNewest() {
    const call = { path: ['users'], query: { sort: '-id', items_per_page: '4' } };
    const more = link(toHash(['users'], { sort: '-id' }), 'All users');
    return createPanel('Newest users', call, ({ users }) => toRows(users.map(toUserRow)), more);
  }

  function createHealth() {
    const place = element('div');
    const version = element('span');
    readDescription().then(({ info }) => { version.textContent = info.version ?? ''; });
    createReader({
      place, signal, toCall: () => ({ path: ['readyz'], outside: true, authorization: null }),
      show: () => draw(place, facts(['Status', badge('Ready', 'good')], ['Version', version])),
      explain: ({ failedChecks: failed }) => (
        failed.length > 0 && facts(['Status', badge(`Not ready: ${failed.join(', ')}`, 'bad')])
      ),
    });
    const title = element('h2', {}, 'Health', isAdmin && link(toHash(['system']), 'System'));
    return element('section', { class: 'panel' }, title, place);
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

/** @param {NonNullable<Summary['service']>} counts */
function toTiles(counts) {
  const administrators = toCount(counts.administrators.count, 'administrator');
  const roles = `${administrators}, ${toNumber(counts.disabled_users)} disabled`;
  return [
    toTile('Users', counts.users, toHash(['users']), roles),
    toTile('Projects', counts.projects, toHash(['projects'])),
    toTile('Valid tokens', counts.tokens, toHash(['tokens']), toDue(counts.tokens_expiring)),
    toTile(
      'Failed sign-ins', counts.failed_sign_ins, toHash(['audit'], { action: 'sign_in.failures' }), 'Today',
    ),
  ];
}

/**
 * @param {Summary['own']} counts
 * @param {string} owner
 */
function toOwnTiles(counts, owner) {
  return [
    toTile('Your projects', counts.projects, toHash(['projects'], { owner })),
    toTile('Your valid tokens', counts.tokens, toHash(['tokens']), toDue({
      ...counts.tokens_expiring, count: counts.tokens_expiring.count - 1, // without the token of this session
    })),
  ];
}

/** @param {Count} expiring */
function toDue(expiring) {
  const words = `${toNumber(expiring)} ${expiring.count === 1 ? 'expires' : 'expire'} within a week`;
  return expiring.count === 0 ? 'None expires within a week' : element('span', { class: 'due' }, words);
}

/**
 * @param {string} label
 * @param {Count} count
 * @param {string} hash
 * @param {Child} [more]
 */
function toTile(label, count, hash, more) {
  return element(
    'a', { class: 'tile', href: hash }, element('span', {}, label), element('strong', {}, toNumber(count)),
    element('span', { class: 'soft' }, more),
  );
}

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const CHART_PIXELS = 44;
const STROKE_PIXELS = 4;

/**
 * A column for each day: one stroke per registration, or fewer if those of the busiest day do not fit.
 *
 * @param {NonNullable<Summary['service']>['registrations']} days
 */
function createRegistrations(days) {
  const most = Math.max(5, ...days.map(({ count }) => count));
  const stroke = Math.max(STROKE_PIXELS, Math.floor(CHART_PIXELS / most));
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const words = days.map((day) => `${DAY.format(new Date(day.date))}: ${toNumber(day)}`);
  const bars = days.map(({ count }, index) => {
    const bar = element('span', { title: words[index] });
    bar.style.height = `${Math.ceil(Math.min(count, count / most * CHART_PIXELS / stroke)) * stroke}px`;
    return bar;
  });
  const chart = element('div', { 'class': 'chart', 'role': 'img', 'aria-label': words.join(', ') }, bars);
  chart.style.setProperty('--stroke', `${stroke}px`);
  const ends = [words.at(0), words.at(-1)].map((text) => element('span', {}, text?.split(':')[0]));
  return element(
    'section', { class: 'panel' },
    element('h2', {}, 'Registrations', element('span', { class: 'soft' }, `${total} in 14 days`)),
    chart,
    element('div', { 'class': 'axis', 'aria-hidden': 'true' }, ends),
  );
}

/** @param {readonly Child[]} rows */
function toRows(rows) {
  return element('ul', { class: 'rows' }, rows.map((row) => element('li', {}, row)));
}
