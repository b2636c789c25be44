/**
 * Opens the screen that the address names, if the user is allowed to open this screen. An address such as
 * `#/users/7?…` consists of the name of a screen, a path, and the parameters of a request.
 */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { createKeysChoice, listenForKeys } from '../shared/keys.js';
import { me, Problem } from './api.js';
import { avatar, buttons, draw, emptyState, facts, heading, isolate, link, toHash } from './dom.js';
import { createCurl, openDialog } from './form.js';
import { createFailure, createLoading } from './screen.js';
import {
  CALLER_CHANGED, isKept, resume, SESSION_CHANGED, showSignIn, SIGN_OUT, signOut,
} from './sign-in.js';

/**
 * @typedef {{ title: string, isForAdministrators?: boolean, load: () => Promise<{ show: (screen: Screen) =>
 *   unknown }> }} Place
 */

/** @type {Readonly<Record<string, Place>>} */
const places = {
  overview: { title: 'Overview', load: () => import('./overview.js') },
  users: { title: 'Users', load: () => import('./users.js') },
  projects: { title: 'Projects', load: () => import('./projects.js') },
  tokens: { title: 'Tokens', load: () => import('./tokens.js') },
  audit: { title: 'Audit trail', isForAdministrators: true, load: () => import('./audit.js') },
  system: { title: 'System', isForAdministrators: true, load: () => import('./system.js') },
};

const START = toHash(['overview']);

const page = /** @type {HTMLElement} */ (document.getElementById('content'));
const menu = /** @type {HTMLElement} */ (document.getElementById('menu'));
const sites = /** @type {HTMLElement} */ (document.querySelector('.top nav'));
const tools = /** @type {HTMLElement} */ (document.getElementById('tools'));

let leaving = new AbortController();

/** The path of the open password link. @type {readonly string[] | undefined} */
let passwordLink;

document.addEventListener(SESSION_CHANGED, () => {
  if (passwordLink) {
    history.replaceState(null, '', START);
  }
  passwordLink = undefined;
  // The page of the previous session is removed, because perhaps another user has signed in.
  page.replaceChildren();
  open('dialog');
});
addEventListener('hashchange', () => {
  takePasswordLink();
  open('dialog:not([closedby="none"])');
});
document.addEventListener(CALLER_CHANGED, () => {
  drawMenu();
  loadAll();
});
page.addEventListener('click', ({ target }) => {
  const followed = target instanceof Element && target.closest('a');
  if (followed) {
    history.replaceState({ ...history.state, followed: followed.getAttribute('href') }, '');
  }
});
listenForKeys({
  '/': () => /** @type {HTMLElement | null} */ (page.querySelector('[type="search"]'))?.focus(),
  'n': () => document.getElementById('new')?.click(),
  '?': openHelp,
  'Ctrl k': openPalette,
}, () => me() !== undefined && document.querySelector('dialog[open]') === null);
document.getElementById('skip')?.addEventListener('click', (event) => {
  event.preventDefault(); // the link must not replace the URL fragment, which contains the name of the screen
  focusStart();
});
start();

async function start() {
  page.replaceChildren(); // removes the error message of the previous attempt
  takePasswordLink();
  try {
    await resume();
  } catch (error) {
    draw(page, heading('Rollcall'), createFailure(/** @type {Problem} */ (error), start));
    return;
  }
  if (!page.hasChildNodes()) { // if another tab has shared its session, the page has content
    await show();
    focusField();
  }
}

/**
 * Removes the secret of a password link from the address, so neither the history nor a screenshot shows the
 * secret. The state of the history entry keeps the secret for a reload, until the password is set.
 */
function takePasswordLink() {
  const [name, ...path] = parsePath();
  passwordLink = name !== 'password' ? undefined : path.length > 0 ? path : history.state?.link ?? [];
  if (passwordLink) {
    history.replaceState({ link: passwordLink }, '', '#/password');
  }
}

/** All modules are loaded early, so that a screen opens even after the connection is lost. */
function loadAll() {
  for (const [, { load }] of listPlaces()) {
    load().catch(() => undefined); // if loading fails, the module is loaded again when its screen opens
  }
}

/** @param {string} dialogs - A CSS selector of the dialogs to close. */
async function open(dialogs) {
  for (const dialog of document.querySelectorAll(dialogs)) {
    /** @type {HTMLDialogElement} */ (dialog).close();
  }
  await show();
  if (!focusField()) {
    focusStart();
  }
}

function focusStart() {
  scrollTo(0, 0);
  document.querySelector('h1')?.focus();
}

/** @returns False if the page has no form to sign in or to register. */
function focusField() {
  const field = /** @type {HTMLElement | null} */ (page.querySelector('.door [data-first]'));
  field?.focus();
  return field !== null;
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  if (me() !== undefined && !location.hash.startsWith('#/')) {
    history.replaceState(null, '', START);
  }
  drawMenu();
  if (passwordLink) {
    document.title = 'Set your password · Rollcall';
    (await import('./password-link.js')).showPasswordLink(page, passwordLink);
    return;
  }
  if (me() === undefined) {
    document.title = 'Sign in · Rollcall';
    showSignIn(page);
    return;
  }
  const [name = '', ...path] = parsePath();
  const place = listPlaces().find(([known]) => known === name)?.[1];
  if (place === undefined) {
    document.title = 'Not found · Rollcall';
    const home = link(START, 'Go to the overview', { class: 'button' });
    draw(page, heading('There is nothing here'), emptyState('No screen has this address.', home));
    return;
  }
  document.title = `${place.title} · Rollcall`;
  // While another page of this list loads, the old rows stay visible.
  if (page.querySelector('h1')?.textContent !== place.title) {
    draw(page, heading(place.title), createLoading());
  }
  const { show: display } = await place.load().catch(() => {
    const problem = new Problem(0, {
      title: 'A part of the console could not be loaded', detail: 'Check your connection, then try again.',
    });
    return { show: () => draw(page, heading(place.title), createFailure(problem, show)) };
  });
  if (!signal.aborted) {
    display({ page, path, query: new URLSearchParams(location.hash.split('?')[1]), signal });
  }
}

/** @returns {readonly string[]} The decoded segments of the path; none if the path is malformed. */
function parsePath() {
  try {
    return (location.hash.slice(2).split('?')[0] ?? '').split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

function listPlaces() {
  return Object.entries(places).filter(
    ([, { isForAdministrators }]) => me()?.is_admin || !isForAdministrators,
  );
}

function drawMenu() {
  const caller = me();
  document.body.classList.remove('with-menu');
  for (const site of sites.querySelectorAll('a:not([aria-current])')) {
    // If the token is only in memory, leaving this page loses the token. So the link opens in a new tab.
    site.setAttribute('target', caller && !isKept() ? '_blank' : '_self');
  }
  if (caller === undefined) {
    draw(menu);
    draw(tools);
    return;
  }
  const [current] = parsePath();
  const toggle = button('Menu', () => {
    toggle.setAttribute('aria-expanded', String(document.body.classList.toggle('with-menu')));
  }, { 'class': 'menu-button', 'aria-expanded': 'false', 'aria-controls': 'menu' });
  const finder = button('Go to…', openPalette, {
    'class': 'finder', 'id': 'finder', 'aria-keyshortcuts': 'Control+K',
  });
  finder.append(element('kbd', { 'aria-hidden': 'true' }, 'Ctrl K'));
  draw(tools, finder, toggle);
  draw(
    menu,
    element('nav', { 'aria-label': 'Screens' }, element('ul', {}, listPlaces().map(([name, { title }]) => (
      element('li', {}, link(toHash([name]), title, { 'aria-current': name === current && 'page' }))
    )))),
    element('div', { class: 'sites' }, sites.cloneNode(true)),
    element(
      'div', { class: 'account' },
      avatar(caller.username),
      element(
        'span', {}, element('span', { class: 'hint' }, 'Signed in as '),
        link(toHash(['users', caller.id]), isolate(caller.username)),
      ),
      buttons(
        button('Sign out', signOut, { class: 'small' }),
        button('Help', openHelp, { 'class': 'small', 'id': 'help', 'aria-keyshortcuts': '?' }),
      ),
    ),
  );
}

async function openPalette() {
  const { showPalette } = await import('./palette.js');
  if (me() !== undefined && document.querySelector('dialog[open]') === null) {
    showPalette(listPlaces().map(([name, { title }]) => ({ title, hash: toHash([name]) })));
  }
}

function openHelp() {
  const dialog = openDialog(
    'Help',
    facts(
      ['Ctrl K', 'Go to a screen, a user or a project'], ['/', 'Search the list'],
      ['n', 'Create a user, project or token'], ['?', 'Show this help'], ['Esc', 'Close, or clear a search'],
    ),
    createKeysChoice('Enable single-key shortcuts'),
    createCurl(() => SIGN_OUT, 'Sign out with curl').details,
    buttons(button('Close', () => dialog.close(), { autofocus: true })),
  );
}
