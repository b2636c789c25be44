/** The audit trail: events by day, and the filters that find them. */
/** @import { AuditEvent } from './events.js' */
/** @import { Screen } from './screen.js' */
import { element } from '../shared/elements.js';
import { createChoice, emptyState, toDate } from './dom.js';
import { createEvents, VERBS } from './events.js';
import { suggestUsers } from './form.js';
import { createFilter, createInput, createLabel, put, showList } from './list.js';

/** @param {Screen} screen */
export function showAudit(screen) {
  const { query } = screen;
  query.set('sort', query.get('sort') ?? '-id');
  const user = createInput({
    'id': 'search', 'aria-keyshortcuts': '/', 'placeholder': 'Username or id',
    'value': query.get('user_id') ?? query.get('username'),
  });
  const by = createLabel('By or about', user);
  by.append(suggestUsers(user));
  const since = element('input', { type: 'date', value: query.get('since')?.slice(0, 10) });
  const actions = Object.entries(VERBS).map(
    ([action, verb]) => /** @type {const} */ ([action, toTitle(verb)]),
  );
  showList(screen, {
    title: 'Audit trail',
    name: 'audit',
    resource: 'audit_events',
    show: (/** @type {readonly AuditEvent[]} */ events) => createDays(events),
    filters: [
      {
        row: by,
        write: (parameters) => {
          const isId = /^\d+$/.test(user.value.trim());
          put(parameters, 'user_id', isId ? user.value.trim() : '');
          put(parameters, 'username', isId ? '' : user.value.trim());
        },
      },
      createFilter(query, 'action', 'Action', createChoice([['', 'All'], ...actions])),
      {
        row: createLabel('Since (UTC)', since),
        write: (parameters) => put(parameters, 'since', since.value && `${since.value}T00:00:00Z`),
      },
      createFilter(query, 'sort', 'Order', createChoice([['-id', 'Newest first'], ['id', 'Oldest first']])),
    ],
    noMatch: () => 'No event matches these filters.',
    explain: ({ status }) => status === 404 && emptyState(
      'No user has this name now. Users who were renamed or deleted are found by id: see the details of an '
        + 'event.',
    ),
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
    createEvents(ofDay, (at) => element('time', { datetime: at, title: at }, HOUR.format(toDate(at)))),
  ));
}

/** @param {string} verb - Such as `revoked all tokens of`. */
function toTitle(verb) {
  return verb.charAt(0).toUpperCase() + verb.slice(1).replace(/ of$/, '');
}
