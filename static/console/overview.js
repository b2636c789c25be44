/**
 * The first screen: numbers, recent activity, what is due and how the service is; for plain users their own
 * projects and tokens. Numbers are shown if the service counts them (`summary`).
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Call } from './api.js' */
/** @import { Screen } from './screen.js' */
/** @import { Token, User } from './rows.js' */
import { element } from '../shared/elements.js';
import { offers, readDescription } from './api.js';
import { badge, draw, emptyState, facts, heading, isDue, isolate, link, soft, time, toHash } from './dom.js';
import { createEvents } from './events.js';
import { toPerson, toProject } from './rows.js';
import { createReader } from './screen.js';
import { me } from './sign-in.js';

/**
 * What the service counts: for administrators everything, for others what is theirs.
 *
 * @typedef {{ users?: number, projects: number, valid_tokens: number, expiring_tokens: number,
 *   failed_sign_ins?: number, registrations?: readonly { date: string, count: number }[], started_at?: string
 *   }} Summary
 */

const SHOWN = '6';

/** @param {Screen} screen */
export function showOverview({ page, signal }) {
  const caller = me();
  const isAdmin = caller?.is_admin === true;
  const numbers = element('div', { class: 'numbers', hidden: true });
  draw(
    page,
    heading('Overview'),
    numbers,
    element(
      'div', { class: 'columns' },
      element('div', {}, isAdmin ? createActivity() : createProjects()),
      element('div', {}, createTokens(), isAdmin && createNewest(), createHealth()),
    ),
  );
  showNumbers();

  async function showNumbers() {
    if (await offers('summary') && !signal.aborted) {
      numbers.hidden = false;
      createReader({
        place: numbers, signal, toCall: () => ({ path: ['summary'] }),
        show: ({ body }) => draw(numbers, toNumbers(body)),
      });
    }
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
    }, link(toHash(['tokens']), 'Manage'));
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

/** @param {Summary} summary */
function toNumbers(summary) {
  const { users, projects, registrations, valid_tokens: tokens, expiring_tokens: expiring } = summary;
  const { failed_sign_ins: failures } = summary;
  const due = expiring > 0 && element('span', { class: 'due' }, `${expiring} expire within a week`);
  return [
    toNumber(users, 'Users', toHash(['users']), registrations && createChart(registrations)),
    toNumber(projects, 'Projects', toHash(['projects'])),
    toNumber(tokens, 'Valid tokens', toHash(['tokens']), due),
    toNumber(failures, 'Failed sign-ins today', toHash(['audit'], { action: 'sign_in.failures' })),
  ];
}

/**
 * @param {number | undefined} value - Left out unless the user may know it.
 * @param {string} label
 * @param {string} hash
 * @param {Child} [more]
 */
function toNumber(value, label, hash, more) {
  const words = [element('strong', {}, value?.toLocaleString('en')), element('span', {}, label), more];
  return value !== undefined && element('a', { class: 'tile', href: hash }, words);
}

/** Registrations per day in tally strokes. @param {readonly { date: string, count: number }[]} days */
function createChart(days) {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const label = `Registrations per day: ${days.map(({ date, count }) => `${date}: ${count}`).join(', ')}`;
  return element('span', { 'class': 'chart', 'role': 'img', 'aria-label': label }, days.map(({ count }) => (
    element('span', { class: `stroke-${Math.ceil((count / most) * 5)}` })
  )));
}

/** @param {readonly Child[]} rows */
function toRows(rows) {
  return element('ul', { class: 'rows' }, rows.map((row) => element('li', {}, row)));
}
