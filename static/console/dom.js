/** The elements that the screens share, and the live region for screen readers. */
/** @import { Child } from '../shared/elements.js' */
import { createCopyButton, element, lines, toNodes } from '../shared/elements.js';

/**
 * Replaces the children of an element. If an old child had the focus, the new child with the id of the old
 * child gets the focus. If no new child has this id, the heading of the screen gets the focus.
 *
 * @param {HTMLElement} place
 * @param {...Child} children
 */
export function draw(place, ...children) {
  const active = document.activeElement;
  const hadFocus = place.contains(active);
  place.replaceChildren(...toNodes(children));
  if (hadFocus) {
    focusSuccessor(active);
  }
}

/** @param {Element | null} element - The element is perhaps no longer in the document. */
export function focusSuccessor(element) {
  const successor = element?.isConnected ? element : document.getElementById(element?.id || 'none');
  /** @type {HTMLElement | null} */ (successor ?? document.querySelector('h1'))?.focus();
}

/** @param {...Child} content */
export function heading(...content) {
  return element('h1', { tabindex: -1 }, ...content);
}

/** @param {...Child} children */
export function buttons(...children) {
  return element('div', { class: 'buttons' }, ...children);
}

/** @typedef {readonly (readonly [value: string, words: string])[]} Choices */

/** @type {(choices: Choices, properties?: Record<string, unknown>) => HTMLSelectElement} */
export function createChoice(choices, properties) {
  return element('select', properties, choices.map(([value, words]) => element('option', { value }, words)));
}

/** @param {string} text - A user's text can be long, and can be written from right to left. */
export function isolate(text) {
  return element('bdi', { title: text.length > 24 && text }, text);
}

/** @param {string} text */
export function soft(text) {
  return element('span', { class: 'soft' }, text);
}

/** @type {(text: string, kind?: 'plain' | 'good' | 'due') => HTMLElement} */
export function badge(text, kind = 'plain') {
  return element('span', { class: `badge ${kind}` }, text);
}

/** @type {(hash: string, content: Child, properties?: Record<string, unknown>) => HTMLElement} */
export function link(hash, content, properties = {}) {
  return element('a', { href: hash, ...properties }, content);
}

/**
 * The order of the query parameters does not change the address. `path` and `query` are not encoded yet.
 *
 * @param {readonly (string | number)[]} path
 * @param {URLSearchParams | Record<string, string>} [query]
 */
export function toHash(path, query = {}) {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  const search = parameters.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
}

/** @import { Count } from './api.js' */

/** Formats a count, such as `346` or `10,000+`. @param {Count} total */
export function toNumber({ count, relation }) {
  return `${count.toLocaleString('en')}${relation === 'exact' ? '' : '+'}`;
}

/** @type {(count: number, noun: string, relation?: Count['relation']) => string} */
export function toCount(count, noun, relation = 'exact') {
  return `${toNumber({ count, relation })} ${noun}${count === 1 ? '' : 's'}`;
}

const HUES = 6;

/** Creates a circle with the initials of a name. @param {string} name */
export function avatar(name) {
  const parts = name.split(/[\s._@+-]+/).filter(Boolean);
  const initials = parts.slice(0, 2).map((part) => [...part][0]?.toUpperCase()).join('');
  const hue = [...name].reduce((sum, each) => sum * 31 + (each.codePointAt(0) ?? 0), 7) % 65_521 % HUES;
  const mark = element('span', { 'class': 'avatar', 'aria-hidden': 'true' }, initials);
  mark.style.background = `var(--hue-${hue})`;
  return mark;
}

/** @type {(mark: Child, name: Child, below: Child) => HTMLElement} */
export function twoLines(mark, name, below) {
  return element(
    'div', { class: 'person' }, mark,
    element('div', {}, element('div', { class: 'name' }, name), element('div', { class: 'below' }, below)),
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;

/** @type {readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[]} */
const UNITS = [
  ['year', 365 * DAY_MS], ['month', 30 * DAY_MS], ['day', DAY_MS], ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
];

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const INSTANT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

/** @param {string} timestamp - The format is RFC 3339. If the zone designator is missing, the zone is UTC. */
export function toDate(timestamp) {
  return new Date(timestamp.endsWith('Z') ? timestamp : `${timestamp}Z`);
}

/**
 * Shows a time relative to now, such as `2 days ago` or `in 3 hours`. Times that are more than a week in the
 * past are shown as dates.
 *
 * @param {string | null} timestamp
 */
export function time(timestamp) {
  if (timestamp === null) {
    return soft('Never');
  }
  const date = toDate(timestamp);
  return element(
    'time', { datetime: date.toISOString(), title: `${INSTANT.format(date)} (${date.toISOString()})` },
    describeDate(date),
  );
}

/** @param {Date} date */
function describeDate(date) {
  const distanceMs = date.getTime() - Date.now();
  if (distanceMs < -WEEK_MS) {
    return (date.getFullYear() === new Date().getFullYear() ? DAY : DAY_AND_YEAR).format(date);
  }
  const [unit, ms] = UNITS.find(([, least]) => Math.abs(distanceMs) >= least) ?? [];
  return unit && ms ? RELATIVE.format(Math.round(distanceMs / ms), unit)
    : distanceMs < 0 ? 'now' : 'in under a minute';
}

/** @param {string} timestamp - The time at which a token expires. */
export function isDue(timestamp) {
  return toDate(timestamp).getTime() - Date.now() < WEEK_MS;
}

/** @param {...(readonly [name: string, value: Child] | false)} entries */
export function facts(...entries) {
  return element('dl', { class: 'facts' }, entries.filter((entry) => entry !== false).map(([name, value]) => (
    element('div', {}, element('dt', {}, name), element('dd', {}, value))
  )));
}

/** @type {(text: string, what: string) => HTMLElement} */
export function copyable(text, what) {
  const pre = lines(what, text);
  const copy = createCopyButton(what, () => pre.firstElementChild ?? pre, (told) => announce(told, 'shown'));
  return element('div', { class: 'copyable' }, pre, copy);
}

/**
 * `next` contains buttons or links for the user's next step.
 *
 * @type {(words: string, ...next: Child[]) => HTMLElement}
 */
export function emptyState(words, ...next) {
  return element(
    'div', { class: 'state' }, element('span', { class: 'tally' }), element('p', {}, words), ...next,
  );
}

const live = /** @type {HTMLElement} */ (document.getElementById('live'));

const MESSAGE_MS = 8000;

/** @type {Map<Element, ReturnType<typeof setTimeout>>} */
const clearing = new Map();

/**
 * @param {string} text
 * @param {'shown' | 'spoken'} [manner] - Screen readers speak every text. A `shown` text is also visible.
 */
export function announce(text, manner = 'spoken') {
  placeLiveRegion();
  const found = manner === 'shown' ? live.firstElementChild : live.lastElementChild;
  const line = /** @type {HTMLElement} */ (found);
  line.textContent = '';
  // A screen reader speaks an unchanged text again only if the line was empty for a moment.
  setTimeout(() => { line.textContent = text; }, 50);
  clearTimeout(clearing.get(line));
  clearing.set(line, setTimeout(() => { line.textContent = ''; }, MESSAGE_MS));
}

/** A modal dialog covers all messages outside of it, and screen readers do not speak these messages. */
export function placeLiveRegion() {
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  if (live.parentElement !== place) {
    place.append(live);
  }
}
