/**
 * What screens are made of: a list, or a record by itself. Each says when it loads, is empty, has no match, has failed, or
 * needs somebody to sign in. The address of a list holds the parameters of its request, for reload, back and bookmarks.
 */
/** @import { Answer, Call } from './api.js' */
/** @import { Child, Choices } from './dom.js' */
/** @import { FormOptions, Target } from './form.js' */
import { Problem, request } from './api.js';
import { announce, button, createChoice, draw, element, heading, isolate, link, time, toHash } from './dom.js';
import { createCurl, createPause, describeProblem, openForm } from './form.js';
import { askAgain, SIGNED_IN_AGAIN } from './sign-in.js';

/**
 * As `main.js` opens it: the page to fill, the path without the name of the screen, and a signal that it is left.
 *
 * @typedef {{ page: HTMLElement, path: readonly string[], query: URLSearchParams, signal: AbortSignal }} Screen
 */

/**
 * @template Item
 * @typedef {{ title: string, cell: (item: Item) => Child, class?: string }} Column
 */

/** @type {Column<{ date_created: string }>} */
export const CREATED = { title: 'Created', cell: ({ date_created: created }) => time(created) };

/** @typedef {{ row: HTMLElement, write: (query: URLSearchParams) => void }} Filter Puts what a control says into parameters. */

/**
 * The resource is named as in `api/v1` and in the answer; the name is that of the screen in addresses, and of the resource
 * too unless that is given. The first column names the row.
 *
 * @template Item
 * @typedef {{ title: string, caption?: string, name: string, resource?: string, columns: readonly Column<Item>[],
 *   actions?: readonly Child[], filters: readonly Filter[] }} ListOptions
 */

const ITEMS_PER_PAGE = '25';

/**
 * Shows in a place what a request answers, or why it does not.
 *
 * @param {object} options
 * @param {HTMLElement} options.place
 * @param {AbortSignal} options.signal - Ends it.
 * @param {() => Call} options.toCall
 * @param {(answer: Answer) => void} options.show
 * @param {((problem: Problem) => Child) | undefined} [options.explain] - What to show of a problem that was to be expected.
 * @returns {() => Promise<void>} Reads again; a request under way is given up.
 */
export function createReader({ place, signal, toCall, show, explain }) {
  let turn = new AbortController();
  signal.addEventListener('abort', () => turn.abort());
  document.addEventListener(SIGNED_IN_AGAIN, read, { signal });
  place.replaceChildren(createLoading());
  read();
  return read;

  async function read() {
    turn.abort();
    const own = turn = new AbortController();
    place.ariaBusy = 'true';
    try {
      show(await request({ ...toCall(), signal: own.signal }));
    } catch (error) {
      if (!(error instanceof Problem)) {
        return; // a newer request has taken the place of this one, or the screen is left
      }
      draw(place, explain?.(error) || createFailure(error, read));
      announce(error.message);
    }
    place.ariaBusy = 'false';
  }
}

export function createLoading() {
  return element('p', { class: 'state loading' }, 'Loading…');
}

/**
 * @param {Problem} problem
 * @param {() => unknown} retry
 */
export function createFailure(problem, retry) {
  return problem.slug === 'unauthenticated'
    ? element('div', { class: 'state' }, element('p', {}, 'You are signed out.'), button('Sign in', askAgain, { class: 'primary' }))
    : element('div', { class: 'problem' }, ...describeProblem(problem), button('Try again', retry));
}

/**
 * @template Item
 * @param {Screen} screen
 * @param {ListOptions<Item>} options
 * @returns {() => Promise<void>} Reads again.
 */
export function showList({ page, query, signal }, { title, caption = title, name, resource = name, columns, actions = [], filters }) {
  const body = element('div', { class: 'list' });
  const curl = createCurl(toCall);
  const form = element('form', { class: 'filters', role: 'search', submit, change: select, input: createPause(select) }, ...filters.map(({ row }) => row));
  page.replaceChildren(element('div', { class: 'heading' }, heading(title), ...actions), filters.length > 0 ? form : '', body, curl.details);
  const read = createReader({ place: body, signal, toCall, show });
  return read;

  function toCall() {
    return { path: [resource], query: new URLSearchParams({ items_per_page: ITEMS_PER_PAGE, ...Object.fromEntries(query) }) };
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    select();
  }

  /** Takes the filters into the address, and shows its first page. */
  function select() {
    const before = query.toString();
    for (const { write } of filters) {
      write(query);
    }
    if (!signal.aborted && query.toString() !== before) {
      query.delete('page');
      history.replaceState(null, '', toHash([name], query));
      curl.refresh();
      read();
    }
  }

  /** @param {Answer} answer */
  function show({ body: answer, links }) {
    const items = /** @type {readonly Item[]} */ (answer[resource]);
    const number = Number(query.get('page') ?? 1);
    if (items.length > 0) {
      draw(body, createTable(caption, columns, items), createPager(links, number));
      announce(`${items.length} shown, page ${number}`);
      return;
    }
    const isFiltered = [...query.keys()].some((key) => !['sort', 'page', 'items_per_page'].includes(key));
    const words = number > 1 ? 'The list ends before this page.' : isFiltered ? 'Nothing matches.' : 'There is nothing yet.';
    const all = (number > 1 || isFiltered) && link(toHash([name]), 'Show all', { class: 'button' });
    draw(body, element('div', { class: 'state' }, element('p', {}, words), all));
    announce(words);
  }

  /**
   * @param {Answer['links']} links
   * @param {number} number
   */
  function createPager(links, number) {
    const shown = RELATIONS.filter(([relation]) => links[relation] !== undefined && (number > 1 || relation === 'next'));
    return shown.length > 0 && element('nav', { 'class': 'pager', 'aria-label': 'Pages' }, `Page ${number}`, ...shown.map(([relation, words]) => (
      link(toHash([name], links[relation]), words, { class: 'button', rel: relation })
    )));
  }
}

/**
 * The style makes cards of rows on narrow screens; roles are spelled out, as some browsers forget then that this is a table.
 *
 * @template Item
 * @param {string} caption
 * @param {readonly Column<Item>[]} columns
 * @param {readonly Item[]} items
 */
export function createTable(caption, columns, items) {
  const titles = columns.map(({ title }) => element('th', { role: 'columnheader', scope: 'col' }, title));
  return element(
    'table', { role: 'table' },
    element('caption', {}, caption),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...titles)),
    element('tbody', { role: 'rowgroup' }, ...items.map((item) => element('tr', { role: 'row' }, ...columns.map(({ title, cell, class: kind }, index) => (
      index === 0
        ? element('th', { role: 'rowheader', scope: 'row', class: kind }, cell(item))
        : element('td', { 'role': 'cell', 'class': kind, 'data-title': title }, cell(item))
    ))))),
  );
}

/** @type {Choices} */
const RELATIONS = [['first', 'First page'], ['prev', 'Previous'], ['next', 'Next']];

/** @type {Choices} */
const SEARCH_MODES = [['contains', 'contains'], ['starts_with', 'starts with'], ['ends_with', 'ends with']];

/**
 * @param {URLSearchParams} query
 * @param {string} label
 * @returns {Filter}
 */
export function createSearch(query, label) {
  const mode = createChoice(SEARCH_MODES, { 'aria-label': `${label}: how to search` });
  const text = createInput({ 'id': 'search', 'aria-label': `${label} to search`, 'aria-keyshortcuts': '/' });
  mode.value = SEARCH_MODES.find(([name]) => query.has(name))?.[0] ?? 'contains';
  text.value = query.get(mode.value) ?? '';
  return {
    row: element('div', { class: 'filter search' }, element('span', {}, label), element('div', { class: 'joined' }, mode, text)),
    write: (parameters) => {
      for (const [name] of SEARCH_MODES) {
        put(parameters, name, name === mode.value ? text.value : '');
      }
    },
  };
}

/**
 * @param {URLSearchParams} query
 * @param {string} name - Of the parameter.
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement} control
 * @returns {Filter}
 */
export function createFilter(query, name, label, control) {
  control.value = query.get(name) ?? '';
  return {
    row: createLabel(label, control),
    write: (parameters) => put(parameters, name, control.value),
  };
}

/**
 * @param {URLSearchParams} query
 * @param {string} member - To sort by, other than by age.
 */
export function createOrder(query, member) {
  const choice = createChoice([['', 'Oldest first'], ['-id', 'Newest first'], [member, 'A to Z'], [`-${member}`, 'Z to A']]);
  return createFilter(query, 'sort', 'Order', choice);
}

/**
 * @param {string} label
 * @param {HTMLElement} control
 */
export function createLabel(label, control) {
  return element('label', { class: 'filter' }, element('span', {}, label), control);
}

/** @param {Record<string, unknown>} [properties] */
export function createInput(properties) {
  return element('input', { type: 'search', dir: 'auto', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none', ...properties });
}

/**
 * @param {URLSearchParams} parameters
 * @param {string} name
 * @param {string} value - Empty for none.
 */
export function put(parameters, name, value) {
  parameters.delete(name);
  if (value !== '') {
    parameters.set(name, value);
  }
}

/**
 * Opens a form that changes a record, and shows what has become of it. The name of the record follows the title.
 *
 * @typedef {(title: string, options: Omit<FormOptions, 'done'> & Partial<FormOptions>, text?: string) => void} Change
 */

/**
 * @param {Screen} screen
 * @param {object} options
 * @param {string} options.resource
 * @param {string} options.title - Of the list that it belongs to.
 * @param {string} options.nameMember
 * @param {(record: Record<string, any>, change: Change) => readonly Child[]} options.toContent
 * @param {(record: Record<string, any>) => unknown} [options.changed]
 */
export function showRecord({ page, path: [idOrName = ''], signal }, { resource, title, nameMember, toContent, changed }) {
  const name = heading(idOrName);
  const body = element('div', { class: 'record' });
  page.replaceChildren(element('p', {}, link(toHash([resource]), title)), name, body);
  const read = createReader({ place: body, signal, toCall: () => ({ path: [resource, idOrName] }), show: showAnswer });

  /** @param {Answer} answer */
  function showAnswer({ body: record, etag }) {
    show({ path: [resource, record.id], record, etag });
  }

  /** @param {Target} target */
  function show(target) {
    const text = target.record[nameMember];
    name.replaceChildren(isolate(text));
    draw(body, ...toContent(target.record, change), createCurl(() => ({ path: target.path })).details);
    if (!signal.aborted) {
      document.title = `${text} · ${title} · Rollcall`;
    }

    /** @type {Change} */
    function change(what, options, words) {
      openForm(`${what} ${text}`, { target, reloaded: show, done: saved, ...options }, words && element('p', {}, words));
    }

    /** @param {Answer} answer */
    async function saved(answer) {
      await changed?.(target.record);
      await (answer.etag === undefined ? read() : showAnswer(answer)); // not every answer is the record
      announce(`${text} was changed`, 'shown');
    }
  }
}
