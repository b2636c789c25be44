/** For administrators: the audit trail and the system. */
/** @import { Problem } from './api.js' */
/** @import { Child } from './dom.js' */
/** @import { ListOptions, Screen } from './screen.js' */
import { button, createChoice, draw, element, facts, heading, isolate, link, soft, time, toHash } from './dom.js';
import { createCurl } from './form.js';
import { createFilter, createInput, createLabel, createReader, createTable, put, showList } from './screen.js';

/**
 * @typedef {{ date_created: string, action: string, resource: { type: string, id: number | null, name: string },
 *   details: string, user: { id: number, username: string } | null, sign_in: 'password' | 'token' | 'none' | 'program',
 *   token_id: number | null, request_id: string, address: string }} AuditEvent
 */

/** As in src/model/audit.ts: a test compares them. */
const ACTIONS = [
  'user.create', 'user.update', 'user.password', 'user.delete',
  'project.create', 'project.update', 'project.delete',
  'token.create', 'token.revoke', 'token.revoke_all',
  'sign_in.failures', 'audit.delete',
];

/** @param {Screen} screen */
export function showAudit(screen) {
  const { query } = screen;
  query.set('sort', query.get('sort') ?? '-id');
  const since = element('input', { type: 'date', value: query.get('since')?.slice(0, 10) });
  /** @type {ListOptions<AuditEvent>} */
  const options = {
    title: 'Audit trail',
    name: 'audit',
    resource: 'audit_events',
    columns: [
      { title: 'Time', cell: ({ date_created: created }) => time(created) },
      { title: 'Who', cell: ({ user, sign_in: signIn }) => (user ? link(toHash(['users', user.id]), isolate(user.username)) : soft(signIn === 'program' ? 'the program' : 'somebody')) },
      { title: 'Action', cell: ({ action }) => element('code', {}, action) },
      { title: 'What', cell: ({ resource: { type, id, name } }) => element('span', {}, `${type} `, isolate(name), id !== null && soft(` #${id}`)) },
      { title: 'Details', cell: ({ details }) => details && isolate(details), class: 'wide' },
      { title: 'From', cell: ({ address, sign_in: signIn, token_id: token }) => element('span', {}, `${address} `, soft(`${signIn} ${token ?? ''}`)) },
      { title: 'Request', cell: ({ request_id: id }) => id && element('code', { class: 'id', title: id }, id) },
    ],
    filters: [
      createFilter(query, 'action', 'Action', createChoice([['', 'All'], ...ACTIONS.map((action) => /** @type {const} */ ([action, action]))])),
      createFilter(query, 'username', 'Made by', createInput({ 'id': 'search', 'aria-keyshortcuts': '/' })),
      createFilter(query, 'sort', 'Order', createChoice([['-id', 'Newest first'], ['id', 'Oldest first']])),
      { row: createLabel('Since (UTC)', since), write: (parameters) => put(parameters, 'since', since.value && `${since.value}T00:00:00Z`) },
    ],
  };
  showList(screen, options);
}

/** @param {Screen} screen */
export function showSystem({ page, signal }) {
  /** @type {(() => unknown)[]} */
  const reads = [];
  draw(
    page,
    element('div', { class: 'heading' }, heading('System'), button('Read again', () => reads.forEach((read) => read()))),
    section('Is it alive', ['livez'], ({ status }) => facts(['Status', status])),
    section('Is it ready', ['readyz'], ({ status }) => facts(['Status', status]), ({ failedChecks }) => (
      failedChecks.length > 0 && facts(['Status', element('strong', { class: 'bad' }, 'not ready')], ['Failed', failedChecks.join(', ')])
    )),
    section('Who am I', ['user'], ({ username, role, token }) => facts(
      ['User', isolate(username)], ['Role', role], ['Token', token.name], ['Until', time(token.expiration_date)],
    )),
    section('Metrics', ['metrics'], createMetrics, ({ status }) => (
      status === 404 ? soft('Not served: METRICS is off.') : status === 401 && soft('They ask for a token of their own, METRICS_TOKEN.')
    )),
  );

  /**
   * @param {string} title
   * @param {readonly string[]} path
   * @param {(body: any) => HTMLElement} toContent
   * @param {(problem: Problem) => Child} [explain]
   */
  function section(title, path, toContent, explain) {
    const call = path[0] === 'user' ? { path } : { path, outside: true, authorization: null };
    const place = element('div');
    reads.push(createReader({ place, signal, toCall: () => call, show: ({ body }) => draw(place, toContent(body)), explain }));
    return element('section', {}, element('h2', {}, title), place, createCurl(() => call).details);
  }
}

/**
 * Samples in the text format of Prometheus, histograms as their counts alone.
 *
 * @param {string} text
 */
function createMetrics(text) {
  const samples = text.split('\n').filter((line) => line !== '' && !/^#|_bucket\{|_seconds_sum\b/.test(line)).map((line) => line.split(/ (?=\S+$)/));
  return createTable('Samples', [
    { title: 'Name', cell: ([name = '']) => element('code', {}, name), class: 'wide' },
    { title: 'Value', cell: ([, value]) => String(Number(Number(value).toPrecision(12))), class: 'number' },
  ], samples);
}
