/**
 * The console: which screen the address names, who may open it, and the keys that work everywhere. `#/users/7?…` is the
 * name of a screen, a path, and parameters as the service takes them.
 */
/** @import { Screen } from './screen.js' */
import { Problem } from './api.js';
import { button, buttons, draw, element, facts, heading, isolate, link, storage, toHash } from './dom.js';
import { createCurl, openDialog } from './form.js';
import { createFailure, createLoading } from './screen.js';
import { CALLER_CHANGED, me, resume, SESSION_CHANGED, showSignIn, SIGN_OUT, signOut } from './sign-in.js';

/** @typedef {{ title: string, isForAdministrators?: boolean, load: () => Promise<(screen: Screen) => unknown> }} Place */

/** @type {Readonly<Record<string, Place>>} */
const places = {
  users: { title: 'Users', load: async () => (await import('./users.js')).showUsers },
  projects: { title: 'Projects', load: async () => (await import('./projects.js')).showProjects },
  tokens: { title: 'Tokens', load: async () => (await import('./tokens.js')).showTokens },
  audit: { title: 'Audit trail', isForAdministrators: true, load: async () => (await import('./system.js')).showAudit },
  system: { title: 'System', isForAdministrators: true, load: async () => (await import('./system.js')).showSystem },
};

const START = toHash(['users']);

const SHORTCUTS_KEY = 'rollcall-shortcuts';

const page = /** @type {HTMLElement} */ (document.getElementById('content'));
const menu = /** @type {HTMLElement} */ (document.getElementById('menu'));

let leaving = new AbortController();

document.addEventListener(SESSION_CHANGED, open);
addEventListener('hashchange', open);
document.addEventListener(CALLER_CHANGED, drawMenu);
document.addEventListener('keydown', useShortcut);
document.getElementById('skip')?.addEventListener('click', (event) => {
  event.preventDefault(); // the fragment names the screen
  focusHeading();
});
start();

async function start() {
  await resume().then(show, (error) => {
    draw(page, heading('Rollcall'), createFailure(error, start));
  });
}

/** Goes to the screen that the address names. */
async function open() {
  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.close();
  }
  await show();
  focusHeading();
}

function focusHeading() {
  scrollTo(0, 0);
  document.querySelector('h1')?.focus();
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  if (me() !== undefined && !location.hash.startsWith('#/')) {
    history.replaceState(null, '', START);
  }
  drawMenu();
  if (me() === undefined) {
    document.title = 'Sign in · Rollcall';
    showSignIn(page);
    return;
  }
  const [name = '', ...path] = parsePath();
  const place = Object.hasOwn(places, name) ? places[name] : undefined;
  if (place === undefined || (place.isForAdministrators && !me()?.is_admin)) {
    document.title = 'Not found · Rollcall';
    draw(page, heading('There is nothing here'), element('p', {}, link(START, 'Go to the users')));
    return;
  }
  document.title = `${place.title} · Rollcall`;
  draw(page, heading(place.title), createLoading());
  const display = await place.load().catch(() => {
    const problem = new Problem(0, { title: 'A part of the console could not be loaded' });
    return () => draw(page, heading(place.title), createFailure(problem, () => location.reload()));
  });
  if (!signal.aborted) {
    display({ page, path, query: new URLSearchParams(location.hash.split('?')[1]), signal });
  }
}

/** @returns {readonly string[]} Decoded; none when it is malformed. */
function parsePath() {
  try {
    return (location.hash.slice(2).split('?')[0] ?? '').split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

function drawMenu() {
  const caller = me();
  if (caller === undefined) {
    draw(menu);
    return;
  }
  const [current] = parsePath();
  const shown = Object.entries(places).filter(([, { isForAdministrators }]) => caller.is_admin || !isForAdministrators);
  draw(
    menu,
    element('nav', { 'aria-label': 'Screens' }, element('ul', {}, ...shown.map(([name, { title }]) => (
      element('li', {}, link(toHash([name]), title, { 'aria-current': name === current && 'page' }))
    )))),
    element(
      'div', { class: 'account' },
      element('span', {}, 'Signed in as ', link(toHash(['users', caller.id]), isolate(caller.username))),
      button('Sign out', signOut, { class: 'small' }),
      button('Help', openHelp, { 'class': 'small', 'id': 'help', 'aria-keyshortcuts': '?' }),
    ),
  );
}

function openHelp() {
  const box = element('input', {
    type: 'checkbox', checked: usesShortcuts(), change: () => storage('localStorage')?.setItem(SHORTCUTS_KEY, box.checked ? 'on' : 'off'),
  });
  const dialog = openDialog(
    'Help',
    facts(['/', 'Search this list'], ['n', 'New user, project or token'], ['?', 'This help'], ['Esc', 'Close, or empty a search']),
    element('label', { class: 'choice' }, box, 'Use keys of one character'),
    createCurl(() => SIGN_OUT, 'Sign out with curl').details,
    buttons(button('Close', () => dialog.close(), { autofocus: true })),
  );
}

function usesShortcuts() {
  return storage('localStorage')?.getItem(SHORTCUTS_KEY) !== 'off';
}

/** @param {KeyboardEvent} event */
function useShortcut(event) {
  const { target, key } = event;
  const isTyping = target instanceof Element && target.matches('input, textarea, select');
  const isChord = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
  if (isTyping || isChord || me() === undefined || document.querySelector('dialog[open]') !== null || !usesShortcuts()) {
    return;
  }
  if (key === '/') {
    event.preventDefault(); // or it would be typed
    document.getElementById('search')?.focus();
  } else if (key === 'n') {
    event.preventDefault();
    document.getElementById('new')?.click();
  } else if (key === '?') {
    openHelp();
  }
}
