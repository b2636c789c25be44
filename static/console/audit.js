/** The screen of the audit trail: events by day, and filters for events. */
/** @import { AuditEvent } from './events.js' */
/** @import { Screen } from './screen.js' */
import { element } from '../shared/elements.js';
import { createChoice, toDate } from './dom.js';
import { createEvents, VERBS } from './events.js';
import { createFilter, createUserFilter, showList } from './list.js';

/** @param {Screen} screen */
export function show(screen) {
  const { query } = screen;
  query.set('sort', query.get('sort') ?? '-id');
  const named = query.has('username') ? 'username' : 'user_id';
  const actions = Object.entries(VERBS).map(
    ([action, verb]) => /** @type {const} */ ([action, toTitle(verb)]),
  );
  showList(screen, {
    title: 'Audit trail',
    name: 'audit',
    resource: 'audit_events',
    show: (/** @type {readonly AuditEvent[]} */ events) => createDays(events),
    filters: [
      createUserFilter(query, named, 'By or about', 'Username or id', (text) => {
        const isId = /^\d+$/.test(text);
        return { user_id: isId ? text : '', username: isId ? '' : text };
      }),
      createFilter(query, 'action', 'Action', createChoice([['', 'All'], ...actions])),
      createFilter(query, 'since', 'Since (UTC)', element('input', { type: 'date' }), (day) => (
        { since: day && `${day}T00:00:00Z` }
      )),
      createFilter(query, 'sort', 'Order', createChoice([['-id', 'Newest first'], ['id', 'Oldest first']])),
    ],
    unknownUser: 'No user has this name now. '
      + 'To find a renamed or deleted user, enter the id of the user. '
      + 'To see the id, open the details of an event by or about the user.',
  });
}

const DAY = new Intl.DateTimeFormat('en', {
  weekday: 'long', day: 'numeric', month: 'long', year: 'numeric',
});
const HOUR = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false });

/** @param {readonly AuditEvent[]} events */
function createDays(events) {
  const days = Map.groupBy(events, ({ date_created: at }) => DAY.format(toDate(at)));
  const today = DAY.format(new Date());
  const yesterday = DAY.format(new Date(Date.now() - 86_400_000));
  return [...days].map(([day, ofDay]) => element(
    'section', { class: 'day' },
    element('h2', {}, day === today ? 'Today' : day === yesterday ? 'Yesterday' : day),
    createEvents(ofDay, {
      toTime: (at) => element('time', { datetime: at, title: at }, HOUR.format(toDate(at))),
    }),
  ));
}

/** @param {string} verb - For example `revoked all tokens of`. */
function toTitle(verb) {
  return verb.charAt(0).toUpperCase() + verb.slice(1).replace(/ of$/, '');
}
