/**
 * Lists: filters, rows and pages. The address of a list holds the parameters of its request, so that reloads,
 * the back button and bookmarks show the same rows.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Problem } from './api.js' */
/** @import { Bulk } from './bulk.js' */
/** @import { Choices } from './dom.js' */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { createSelection } from './bulk.js';
import {
  announce, buttons, createChoice, draw, emptyState, heading, link, time, toHash, toNumber,
} from './dom.js';
import { createCurl, createPause, suggestUsers } from './form.js';
import { createReader } from './screen.js';

/**
 * `sort` is a value of the parameter `sort`. Columns of the class `wide` are hidden on narrow screens.
 *
 * @template Item
 * @typedef {{ title: Child, cell: (item: Item) => Child, class?: string, sort?: string, isShown?: () =>
 *   boolean }} Column
 */

/** @type {Column<{ date_created: string }>} */
export const CREATED = {
  title: 'Created', sort: 'id', class: 'wide', cell: ({ date_created: created }) => time(created),
};

/**
 * @typedef {{ row: HTMLElement, write: (query: URLSearchParams) => void }} Filter `write` puts
 *   the value of the control into the parameters.
 */

/**
 * `resource` names the path below `api/v1` and the member of the response, if it differs from the name of the
 * screen. `defaults` are parameters of the request that the address omits. The first column names the row; a
 * click on the row follows the link in this column. `show` draws a list that is not a table. `gone` is shown
 * after `noMatch`. With `bulk`, rows can be selected. `explain` has the message for an expected problem.
 *
 * @template {{ id: number }} Item
 * @typedef {{ title: string, name: string, resource?: string, defaults?: (query: URLSearchParams) =>
 *   Record<string, string>, columns?: readonly Column<Item>[], actions?: readonly Child[], filters: readonly
 *   Filter[], show?: (items: readonly Item[]) => Child, empty?: Child, noMatch?: (query: URLSearchParams) =>
 *   string, gone?: Child, bulk?: Bulk<Item>, shown?: () => unknown, explain?: (problem: Problem) => Child }}
 *   ListOptions
 */

const ITEMS_PER_PAGE = 25;

/**
 * @template {{ id: number }} Item
 * @param {Screen} screen
 * @param {ListOptions<Item>} options
 * @returns {() => Promise<void>} A function that reads the list again.
 */
export function showList({ page, query, signal }, options) {
  const {
    title, name, resource = name, columns = [], actions = [], empty = emptyState('There is nothing yet.'),
    filters, defaults = () => ({}), bulk, shown = () => undefined, explain,
  } = options;
  const selection = bulk && createSelection(bulk, () => signal.aborted || read());
  const all = selection ? [selection.column, ...columns] : columns;
  const [stale, staleCount] = takeRows(page, name);
  const count = element('span', { class: 'count' }, staleCount);
  const body = element('div', { 'class': 'list', 'data-name': name }, stale);
  const curl = createCurl(toCall);
  const form = element(
    'form', { class: 'filters', role: 'search', submit, change: select, input: createPause(select) },
    filters.map(({ row }) => row),
  );
  page.replaceChildren(
    element(
      'div', { class: 'heading' }, heading(title), count, element('div', { class: 'actions' }, ...actions),
    ),
    filters.length > 0 ? form : '', body, curl.details,
  );
  const read = createReader({
    place: body, signal, toCall, show, explain: (problem) => {
      count.textContent = '';
      return explain?.(problem);
    },
  });
  return read;

  function toCall() {
    return {
      path: [resource],
      query: new URLSearchParams({
        items_per_page: String(ITEMS_PER_PAGE), ...defaults(query), ...Object.fromEntries(query),
      }),
    };
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    select();
  }

  /** Puts the filters into the address, and shows the first page. */
  function select() {
    const before = query.toString();
    for (const { write } of filters) {
      write(query);
    }
    if (!signal.aborted && query.toString() !== before) {
      reload();
    }
  }

  function reload() {
    query.delete('page');
    history.replaceState(null, '', toHash([name], query));
    curl.refresh();
    read();
  }

  /** @param {string} sort - Ascending at first; descending if the list is sorted so already. */
  function sortBy(sort) {
    put(query, 'sort', (query.get('sort') ?? 'id') === sort ? `-${sort}` : sort === 'id' ? '' : sort);
    reload();
  }

  /** @param {Answer} answer */
  function show({ body: answer, hasNext, total }) {
    const items = /** @type {readonly Item[]} */ (answer[resource]);
    const number = Number(query.get('page') ?? 1);
    const isFiltered = [...query.keys()].some((key) => !['sort', 'page', 'items_per_page'].includes(key));
    shown();
    count.textContent = total && items.length > 0 ? toNumber(total) : '';
    selection?.begin(items);
    if (items.length > 0) {
      const range = describeRange(items.length, number, total);
      draw(
        body, options.show?.(items) ?? createTable({
          caption: title, items,
          columns: all.filter(({ isShown = () => true }) => isShown()),
          sort: query.get('sort') ?? 'id', sortBy,
        }),
        selection?.bar, createPager(number, range, hasNext, total),
      );
      selection?.show();
      announce(range);
      return;
    }
    if (number > 1 || isFiltered) {
      const words = number > 1 ? "This page doesn't exist." : options.noMatch?.(query) ?? 'Nothing matches.';
      const all = link(toHash([name]), 'Show all', { class: 'button' });
      draw(body, emptyState(words, buttons(all, options.gone)));
    } else {
      draw(body, empty);
    }
    announce(body.textContent ?? '');
  }

  function pageSize() {
    return Number(toCall().query.get('items_per_page'));
  }

  /**
   * @param {number} shownCount
   * @param {number} number - The number of the page, from 1.
   * @param {Answer['total']} total
   * @returns {string} Such as `26–50 of 346`.
   */
  function describeRange(shownCount, number, total) {
    const before = (number - 1) * pageSize();
    const whole = total && ` of ${total.relation === 'exact' ? '' : 'at least '}`
      + total.count.toLocaleString('en');
    return `${(before + 1).toLocaleString('en')}–${(before + shownCount).toLocaleString('en')}${whole ?? ''}`;
  }

  /**
   * @param {number} number
   * @param {string} range
   * @param {boolean} hasNext
   * @param {Answer['total']} total
   */
  function createPager(number, range, hasNext, total) {
    const last = total?.relation === 'exact' ? Math.ceil(total.count / pageSize()) : 0;
    return element(
      'nav', { 'class': 'pager', 'aria-label': 'Pages' }, element('span', { class: 'soft' }, range),
      number > 1 && [toPage('first', 'First page', 1), toPage('prev', 'Previous', number - 1)],
      hasNext && toPage('next', 'Next', number + 1),
      last > number && toPage('last', 'Last page', last),
    );
  }

  /**
   * @param {string} relation
   * @param {string} words
   * @param {number} number
   */
  function toPage(relation, words, number) {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(number));
    const attributes = { class: 'button', rel: relation, id: `page-${relation}` };
    return link(toHash([name], parameters), words, attributes);
  }
}

/**
 * Takes the rows of the same list from the page, so that they stay visible until the next page is there. They
 * do nothing any more.
 *
 * @param {HTMLElement} page
 * @param {string} name
 * @returns {[rows: HTMLElement | undefined, count: string]}
 */
function takeRows(page, name) {
  const list = page.querySelector(`[data-name="${name}"]:has(table, .day)`);
  const count = page.querySelector('.count')?.textContent ?? '';
  list?.querySelector('.bulk')?.remove();
  return list
    ? [element('div', { class: 'stale', inert: true }, ...list.childNodes), count]
    : [undefined, ''];
}

/**
 * Narrow screens show rows as cards. Some browsers then no longer treat the element as a table, so its parts
 * have explicit roles.
 *
 * @template Item
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly Column<Item>[]} options.columns - The first one, except checkboxes, names the row.
 * @param {readonly Item[]} options.items
 * @param {string} [options.sort] - The value of the parameter `sort`.
 * @param {(sort: string) => void} [options.sortBy]
 */
export function createTable({ caption, columns, items, sort = '', sortBy }) {
  const naming = columns.find(({ class: kind }) => kind !== 'check');
  return element(
    'table', { role: 'table' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, columns.map(createHead))),
    element('tbody', { role: 'rowgroup', click: followRow }, items.map((item) => (
      element('tr', { role: 'row' }, columns.map((column) => toCell(column, item)))
    ))),
  );

  /**
   * @param {Column<Item>} column
   * @param {Item} item
   */
  function toCell(column, item) {
    const { cell, class: kind } = column;
    return column === naming
      ? element('th', { role: 'rowheader', scope: 'row', class: kind }, cell(item))
      : element('td', { role: 'cell', class: kind }, cell(item));
  }

  /** @param {Column<Item>} column */
  function createHead({ title, class: kind, sort: word }) {
    const direction = sort === word ? 'ascending' : sort === `-${word}` ? 'descending' : undefined;
    const arrow = { ascending: '↑', descending: '↓', none: '' }[direction ?? 'none'];
    const press = sortBy && word && (() => sortBy(word));
    const words = /** @type {string} */ (title); // columns that sort have a text as their title
    const content = press ? button(words, press, { class: 'sort', id: `sort-${word}` }) : title;
    return element(
      'th', { 'role': 'columnheader', 'scope': 'col', 'class': kind, 'aria-sort': direction }, content,
      arrow && element('span', { 'aria-hidden': 'true' }, arrow),
    );
  }
}

/**
 * A click anywhere in a row follows the link of the row, unless another control or selected text is meant.
 *
 * @param {MouseEvent} event
 */
function followRow({ target }) {
  const isMeant = target instanceof Element && !target.closest('a, button, .check');
  if (isMeant && getSelection()?.isCollapsed) {
    target.closest('tr')?.querySelector('a')?.click();
  }
}

/** @type {Choices} */
const SEARCH_MODES = [['contains', 'contains'], ['starts_with', 'starts with'], ['ends_with', 'ends with']];

/**
 * @param {URLSearchParams} query
 * @param {string} label
 * @param {string} placeholder
 * @returns {Filter}
 */
export function createSearch(query, label, placeholder) {
  const mode = createChoice(SEARCH_MODES, { 'aria-label': `${label}: how to search` });
  const text = createInput({
    'id': 'search', 'aria-label': `${label} to search`, 'aria-keyshortcuts': '/', placeholder,
  });
  mode.value = SEARCH_MODES.find(([name]) => query.has(name))?.[0] ?? 'contains';
  text.value = query.get(mode.value) ?? '';
  return {
    row: element(
      'div', { class: 'filter search' }, text, element('kbd', { 'aria-hidden': 'true' }, '/'), mode,
    ),
    write: (parameters) => {
      for (const [name] of SEARCH_MODES) {
        put(parameters, name, name === mode.value ? text.value : '');
      }
    },
  };
}

/**
 * @param {URLSearchParams} query
 * @param {string} name - The name of the parameter.
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
 * @param {string} label
 * @param {HTMLElement} control
 */
export function createLabel(label, control) {
  return element('label', { class: 'filter' }, element('span', {}, label), control);
}

/** @param {Record<string, unknown>} [properties] */
export function createInput(properties) {
  return element('input', {
    type: 'search', dir: 'auto', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none',
    ...properties,
  });
}

/**
 * A filter that suggests usernames while one types.
 *
 * @param {URLSearchParams} query
 * @param {string} name
 * @param {string} label
 * @param {string} placeholder
 */
export function createUserFilter(query, name, label, placeholder) {
  const input = createInput({ id: `filter-${name}`, placeholder });
  const filter = createFilter(query, name, label, input);
  filter.row.append(suggestUsers(input));
  return filter;
}

/** A name that is only half typed is no error. @param {Problem} problem */
export function explainUnknownUser({ slug }) {
  return ['unknown-owner', 'not-found'].includes(slug) && emptyState('No user has this name.');
}

/**
 * @param {URLSearchParams} parameters
 * @param {string} name
 * @param {string} value - If empty, the parameter is removed.
 */
export function put(parameters, name, value) {
  parameters.delete(name);
  if (value !== '') {
    parameters.set(name, value);
  }
}

/** @param {URLSearchParams} query */
export function readSearch(query) {
  const [name = '', words] = SEARCH_MODES.find(([mode]) => query.has(mode)) ?? [];
  return words && `${words} “${query.get(name)}”`;
}
