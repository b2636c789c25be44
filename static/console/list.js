/**
 * Lists: filters, rows and pages. The address of a list holds the parameters of its request, for reload, the
 * way back and bookmarks.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer } from './api.js' */
/** @import { Bulk } from './bulk.js' */
/** @import { Choices } from './dom.js' */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { createSelection } from './bulk.js';
import {
  announce, buttons, createChoice, draw, emptyState, heading, link, time, toHash, toNumber,
} from './dom.js';
import { createCurl, createPause } from './form.js';
import { createReader } from './screen.js';

/**
 * `sort` is a word of the parameter of that name. Columns of the class `wide` are left out on narrow screens.
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
 * @typedef {{ row: HTMLElement, write: (query: URLSearchParams) => void }} Filter Writes the value of a
 *   control into parameters.
 */

/**
 * `resource` is the name in `api/v1` and of the member of the response, if that is not the name of the
 * screen. `defaults` are parameters of the request that the address leaves out. The first column names the
 * row, and its link is where a click on the row leads. `show` is for a list that is no table. `gone` follows
 * `noMatch`. With `bulk`, rows can be selected.
 *
 * @template {{ id: number }} Item
 * @typedef {{ title: string, name: string, resource?: string, defaults?: (query: URLSearchParams) =>
 *   Record<string, string>, columns?: readonly Column<Item>[], actions?: readonly Child[], filters: readonly
 *   Filter[], show?: (items: readonly Item[]) => Child, empty?: Child, noMatch?: (query: URLSearchParams) =>
 *   string, gone?: Child, bulk?: Bulk<Item>, shown?: () => unknown }} ListOptions
 */

const ITEMS_PER_PAGE = 25;

/**
 * @template {{ id: number }} Item
 * @param {Screen} screen
 * @param {ListOptions<Item>} options
 * @returns {() => Promise<void>} Reads again.
 */
export function showList({ page, query, signal }, options) {
  const {
    title, name, resource = name, columns = [], actions = [], empty = emptyState('There is nothing yet.'),
    filters, defaults = () => ({}), bulk, shown = () => undefined,
  } = options;
  const selection = bulk && createSelection(bulk, () => signal.aborted || read());
  const all = selection ? [selection.column, ...columns] : columns;
  const count = element('span', { class: 'count' });
  const body = element('div', { class: 'list' });
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
  const read = createReader({ place: body, signal, toCall, show });
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

  /** Takes the filters into the address, and shows the first page. */
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

  /** @param {string} sort - The first press sorts upwards, the next one downwards. */
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
   * @param {number} number - Of the page.
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
 * Narrow screens show rows as cards; roles are spelled out, as some browsers forget then that this is a
 * table.
 *
 * @template Item
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly Column<Item>[]} options.columns - The first that is not for selecting names the row.
 * @param {readonly Item[]} options.items
 * @param {string} [options.sort] - What the rows are sorted by.
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
    const words = /** @type {string} */ (title); // only titles of words sort
    const content = press ? button(words, press, { class: 'sort', id: `sort-${word}` }) : title;
    return element(
      'th', { 'role': 'columnheader', 'scope': 'col', 'class': kind, 'aria-sort': direction }, content,
      arrow && element('span', { 'aria-hidden': 'true' }, arrow),
    );
  }
}

/**
 * A click anywhere in a row follows the link of the row, unless it was meant for something else.
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

/** @param {URLSearchParams} query */
export function readSearch(query) {
  const [name = '', words] = SEARCH_MODES.find(([mode]) => query.has(mode)) ?? [];
  return words && `${words} “${query.get(name)}”`;
}
