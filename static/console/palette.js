/**
 * Ctrl-K opens a dialog that finds screens, users and projects by a part of the name. The elements of the
 * dialog have the roles of the WAI-ARIA pattern "Combobox".
 */
import { element } from '../shared/elements.js';
import { request } from './api.js';
import { announce, avatar, isolate, toHash } from './dom.js';
import { createPause, openDialog } from './form.js';

/** @typedef {{ title: string, hash: string, kind?: string }} Destination */

const FOUND_MAX = '6';

/** @param {readonly Destination[]} screens */
export function showPalette(screens) {
  /** @type {readonly Destination[]} */
  let shown = [];
  let chosen = 0;
  const list = element('ul', { 'id': 'destinations', 'role': 'listbox', 'aria-label': 'Destinations' });
  const whenPaused = createPause(search);
  const input = element('input', {
    'type': 'text', 'role': 'combobox', 'aria-label': 'Go to', 'aria-expanded': 'true',
    'aria-controls': 'destinations', 'placeholder': 'A screen, a user or a project',
    'autocomplete': 'off', 'spellcheck': 'false', 'autocapitalize': 'none',
    'dir': 'auto', 'autofocus': true, 'keydown': useKey,
    'input': () => {
      showAll(findScreens());
      whenPaused();
    },
  });
  const dialog = openDialog('Go to', input, list);
  dialog.classList.add('palette');
  dialog.querySelector('h2')?.classList.add('unseen');
  showAll(screens);

  function findScreens() {
    return screens.filter(({ title }) => title.toLowerCase().includes(input.value.trim().toLowerCase()));
  }

  /** @param {AbortSignal} signal */
  async function search(signal) {
    const text = input.value.trim();
    const query = { contains: text, items_per_page: FOUND_MAX };
    /** @type {(resource: string, member: string, kind: string) => Promise<Destination[]>} */
    const find = (resource, member, kind) => request({ path: [resource], query, signal }).then(
      ({ body }) => body[resource].map((/** @type {any} */ item) => (
        { title: item[member], hash: toHash([resource, item.id]), kind }
      )), () => [],
    );
    const found = text === '' ? [] : await Promise.all([
      find('users', 'username', 'User'), find('projects', 'name', 'Project'),
    ]);
    if (!signal.aborted && dialog.open) {
      showAll([...findScreens(), ...found.flat()]);
      announce(`${shown.length} found`);
    }
  }

  /** @param {readonly Destination[]} destinations */
  function showAll(destinations) {
    shown = destinations;
    list.replaceChildren(...shown.map(({ title, hash, kind }, index) => element(
      'li', { role: 'option', class: kind?.toLowerCase(), id: `destination-${index}`, click: () => go(hash) },
      kind ? avatar(title) : element('span', { 'class': 'to', 'aria-hidden': 'true' }, '→'),
      isolate(title), element('span', { class: 'soft' }, kind ?? 'Screen'),
    )));
    choose(0);
  }

  /** @param {number} index */
  function choose(index) {
    chosen = shown.length === 0 ? 0 : (index + shown.length) % shown.length;
    for (const [position, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(position === chosen));
    }
    input.setAttribute('aria-activedescendant', shown.length === 0 ? '' : `destination-${chosen}`);
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} event */
  function useKey(event) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const destination = shown[chosen];
    if (step !== 0) {
      event.preventDefault();
      choose(chosen + step);
    } else if (event.key === 'Enter' && destination && !event.isComposing) {
      go(destination.hash);
    }
  }

  /** @param {string} hash */
  function go(hash) {
    dialog.close();
    location.hash = hash;
  }
}
