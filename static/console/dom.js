/**
 * Builds what is on the screen. Text only ever becomes a text node, so what users have typed cannot
 * become part of the page; its policy (Trusted Types) holds us to it.
 */

/** @typedef {string | Node | null | undefined | false} Child What is nothing is left out. */

/** @param {readonly Child[]} children */
function toNodes(children) {
  return children.filter((child) => child !== null && child !== undefined && child !== false);
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} [properties] - A function listens to the event of that name; `true` is an attribute
 *   without a value, what is nothing is none; everything else is the text of an attribute.
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') {
      node.addEventListener(key, /** @type {EventListener} */ (value));
    } else if (value !== undefined && value !== null && value !== false) {
      node.setAttribute(key, value === true ? '' : String(value));
    }
  }
  node.append(...toNodes(children));
  return node;
}

/**
 * Replaces what a part of the screen shows. Focus that was inside moves to the successor of where it was, found by its id,
 * or else to the heading, rather than being lost.
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

/** @param {Element | null} element - Which may be gone. */
export function focusSuccessor(element) {
  const successor = element?.isConnected ? element : document.getElementById(element?.id || 'none');
  /** @type {HTMLElement | null} */ (successor ?? document.querySelector('h1'))?.focus();
}

/** @param {string} text */
export function heading(text) {
  return element('h1', { tabindex: -1 }, text);
}

/**
 * @param {string} label
 * @param {() => unknown} press
 * @param {Record<string, unknown>} [properties]
 */
export function button(label, press, properties = {}) {
  return element('button', { type: 'button', click: press, ...properties }, label);
}

/** @param {...Child} children */
export function buttons(...children) {
  return element('div', { class: 'buttons' }, ...children);
}

/** @typedef {readonly (readonly [value: string, words: string])[]} Choices */

/**
 * @param {Choices} choices
 * @param {Record<string, unknown>} [properties]
 */
export function createChoice(choices, properties) {
  return element('select', properties, ...choices.map(([value, words]) => element('option', { value }, words)));
}

/** @param {string} text - Of a user: it may run in any direction. */
export function isolate(text) {
  return element('bdi', {}, text);
}

/** @param {string} text */
export function soft(text) {
  return element('span', { class: 'soft' }, text);
}

/**
 * @param {string} hash
 * @param {Child} content
 * @param {Record<string, unknown>} [properties]
 */
export function link(hash, content, properties = {}) {
  return element('a', { href: hash, ...properties }, content);
}

/**
 * The address of a screen. What users have typed is encoded here and nowhere else.
 *
 * @param {readonly (string | number)[]} path
 * @param {URLSearchParams | Record<string, string>} [query]
 */
export function toHash(path, query = {}) {
  const search = new URLSearchParams(query).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
}

const INSTANT_FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** @param {string | null} timestamp - RFC 3339, or without a zone designator, which is UTC then. */
export function time(timestamp) {
  if (timestamp === null) {
    return soft('never');
  }
  const instant = new Date(timestamp.endsWith('Z') ? timestamp : `${timestamp}Z`);
  const datetime = instant.toISOString();
  return element('time', { datetime, title: datetime }, INSTANT_FORMAT.format(instant));
}

/** @param {...(readonly [name: string, value: Child] | false)} entries */
export function facts(...entries) {
  return element('dl', { class: 'facts' }, ...entries.filter((entry) => entry !== false).map(([name, value]) => (
    element('div', {}, element('dt', {}, name), element('dd', {}, value))
  )));
}

/**
 * @param {string} text
 * @param {string} what - Completes "Copy …".
 */
export function copyable(text, what) {
  const code = element('code', {}, text);
  return element(
    'div', { class: 'copyable' },
    element('pre', { 'tabindex': 0, 'role': 'group', 'aria-label': what }, code),
    button('Copy', copy, { 'class': 'small', 'aria-label': `Copy ${what}` }),
  );

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      announce(`Copied ${what}`, 'shown');
    } catch { // there is no clipboard without TLS, nor where the reader forbids it
      getSelection()?.selectAllChildren(code);
      announce(`Press the keys that copy: ${what} is selected`, 'shown');
    }
  }
}

/**
 * @param {'localStorage' | 'sessionStorage'} name
 * @returns {Storage | undefined} Nothing where pages may store nothing.
 */
export function storage(name) {
  try {
    return window[name];
  } catch {
    return undefined;
  }
}

const live = /** @type {HTMLElement} */ (document.getElementById('live'));

const MESSAGE_MS = 8000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/**
 * Says something in the one live region.
 *
 * @param {string} text
 * @param {'shown' | 'spoken'} [manner] - What is shown for a while is spoken as well.
 */
export function announce(text, manner = 'spoken') {
  placeLiveRegion();
  const line = /** @type {HTMLElement} */ (manner === 'shown' ? live.firstElementChild : live.lastElementChild);
  line.textContent = '';
  setTimeout(() => { line.textContent = text; }, 50); // the same text twice is a change only so
  if (manner === 'shown') {
    clearTimeout(hiding);
    hiding = setTimeout(() => { line.textContent = ''; }, MESSAGE_MS);
  }
}

/** While a dialog is open, nothing outside of it is seen above it or heard. */
export function placeLiveRegion() {
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  if (live.parentElement !== place) {
    place.append(live);
  }
}
