/** Reads the description of the API once, and shows the page whose id is the URL fragment. */
import { element, toNodes } from '../shared/elements.js';
import { createKeysChoice, listenForKeys } from '../shared/keys.js';
import { DOCUMENT_URL, loadDescription } from './description.js';
import { createMenu } from './menu.js';
import { showOperation } from './operation.js';
import { showOverview } from './overview.js';

/** If the window has at least this width, the menu is next to the page, as in `reference.css`. */
const WIDE = matchMedia('(min-width: 60em)');

const main = document.querySelector('main');
const menu = /** @type {HTMLDetailsElement} */ (document.querySelector('.menu'));
const filter = /** @type {HTMLInputElement} */ (document.querySelector('#filter'));

const menuParts = {
  filter, status: document.querySelector('#matches'), list: document.querySelector('#operations'),
};

async function start() {
  main.setAttribute('aria-busy', 'true');
  try {
    const description = await loadDescription();
    const mark = createMenu(description, menuParts);
    menu.parentElement.hidden = false; // the menu was hidden until the description was loaded
    const show = () => mark(showPlace(description));
    show();
    addEventListener('hashchange', () => {
      show();
      openMenuWhereWide();
      scrollTo(0, 0);
      main.querySelector('h1').focus({ preventScroll: true });
    });
  } catch (error) {
    showMessage('API reference', `Cannot read the description of the API. ${error}`, [
      'Read the description as a file instead: ', element('a', { href: DOCUMENT_URL.href }, 'openapi.json'),
    ]);
  } finally {
    main.removeAttribute('aria-busy');
  }
}

function showPlace(description) {
  const id = location.hash.slice(1); // the id stays encoded, because decoding fails for malformed text
  const operation = description.operations.find((candidate) => candidate.id === id);
  if (operation !== undefined) {
    showPage(operation.summary, showOperation(operation, description.base));
  } else if (id === '') {
    showPage('API reference', showOverview(description));
  } else {
    const text = `The API has no operation “${id}”. The menu lists all operations.`;
    showMessage('There is no such operation', text, element('a', { href: '#' }, 'All operations'));
  }
  return id;
}

function showMessage(title, text, advice) {
  showPage(title, [
    element('h1', { tabindex: -1 }, title),
    element('p', { role: 'alert' }, text),
    element('p', {}, advice),
  ]);
}

function showPage(title, nodes) {
  document.title = `${title} · Rollcall`;
  main.replaceChildren(...toNodes(nodes));
}

function openMenuWhereWide() {
  menu.open = WIDE.matches;
}

document.querySelector('#keys').append(createKeysChoice('Press / to search'));
listenForKeys({ '/': () => {
  menu.open = true;
  filter.focus();
} }, () => !menu.parentElement.hidden);
// The link that skips the menu must not change the URL fragment, because the fragment is the id of the page.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
WIDE.addEventListener('change', openMenuWhereWide);
openMenuWhereWide();
start();
