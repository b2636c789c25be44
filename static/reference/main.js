/** The reference of the API: reads the document once, and shows what the hash of the address names. */
import { DOCUMENT_URL, loadDescription } from './description.js';
import { element } from './dom.js';
import { createMenu } from './menu.js';
import { showOperation } from './operation.js';
import { showOverview } from './overview.js';

/** From here on the menu is beside the page; `reference.css` has the same width. */
const WIDE = matchMedia('(min-width: 60em)');

/** The same choice as in the console: `static/console/main.js` has the same key. */
const SHORTCUTS_KEY = 'rollcall-shortcuts';

const main = document.querySelector('main');
const menu = document.querySelector('.menu');
const filter = document.querySelector('#filter');
const shortcut = document.querySelector('#shortcut');

const menuParts = { filter, status: document.querySelector('#matches'), list: document.querySelector('#operations') };

async function start() {
  main.setAttribute('aria-busy', 'true');
  try {
    const description = await loadDescription();
    const { mark } = createMenu(description, menuParts);
    menu.parentElement.hidden = false; // without a description there is nothing to list
    const show = () => mark(showPlace(description));
    show();
    addEventListener('hashchange', () => {
      show();
      menu.open = WIDE.matches;
      scrollTo(0, 0);
      main.querySelector('h1').focus({ preventScroll: true });
    });
  } catch (error) {
    showFailure(error);
  } finally {
    main.removeAttribute('aria-busy');
  }
}

/** @returns The operation that is shown; `undefined` for none. */
function showPlace(description) {
  const id = location.hash.slice(1); // not decoded: names of operations need it not, and not all that is typed can be
  const operation = description.operations.find((candidate) => candidate.id === id);
  if (operation !== undefined) {
    showPage(`${operation.method} ${operation.path}`, showOperation(operation, description));
  } else if (id === '') {
    showPage('API reference', showOverview(description));
  } else {
    showPage('Unknown operation', [
      element('h1', { tabindex: -1 }, 'There is no such operation'),
      element('p', { role: 'alert' }, `The API has no operation with the name “${id}”. It may have been renamed; the menu has all that there are.`),
      element('p', {}, element('a', { href: '#' }, 'All operations')),
    ]);
  }
  return operation;
}

function showPage(title, nodes) {
  document.title = `${title} · Rollcall`;
  main.replaceChildren(...nodes);
}

function showFailure(error) {
  showPage('API reference', [
    element('h1', { tabindex: -1 }, 'API reference'),
    element('p', { role: 'alert' }, `The description of the API cannot be read. ${error instanceof Error ? error.message : error}`),
    element('p', {}, element('button', { type: 'button', onclick: start }, 'Try again')),
    element('p', {}, 'It should be at ', element('a', { href: DOCUMENT_URL.href }, DOCUMENT_URL.pathname), '.'),
  ]);
}

/** @returns Nothing where pages may store nothing. */
function storage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

function openMenuWhereWide() {
  menu.open = WIDE.matches;
}

/** A single key is a shortcut only where it is not text, and can be turned off (WCAG 2.1.4). */
function isShortcut({ key, target, ctrlKey, metaKey, altKey }) {
  return key === '/' && shortcut.checked && !menu.parentElement.hidden && !ctrlKey && !metaKey && !altKey && target.closest?.('input, textarea, select') === null;
}

shortcut.checked = storage()?.getItem(SHORTCUTS_KEY) !== 'off';
shortcut.addEventListener('change', () => storage()?.setItem(SHORTCUTS_KEY, shortcut.checked ? 'on' : 'off'));
document.addEventListener('keydown', (event) => {
  if (isShortcut(event)) {
    event.preventDefault();
    menu.open = true;
    filter.focus();
  }
});
// The hash names operations, so the link must not change it.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
WIDE.addEventListener('change', openMenuWhereWide);
openMenuWhereWide();
start();
