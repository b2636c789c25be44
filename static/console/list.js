/**
 * In the browser, the URL of a list contains the parameters of the API request. So a reload, the back button
 * or a bookmark shows the same rows.
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
import { createCurl, createPause, suggestUsers } from './form.js';
import { createReader } from './screen.js';

/**
 * If the query parameter `sort` equals the member `sort` of a column, the list is sorted by this column.
 * In narrow windows, columns whose class is `wide` are hidden.
 *
 * @template Item
 * @typedef {{ title: Child, cell: (item: Item) => Child, class?: string, sort?: string }} Column
 */

/** @type {Column<{ date_created: string }>} */
export const CREATED = {
  title: 'Created', sort: 'id', class: 'wide', cell: ({ date_created: created }) => time(created),
};

/**
 * @typedef {{ row: HTMLElement, write: () => Record<string, string> }} Filter `write` returns query
 *   parameters. A parameter with an empty value is removed from the URL.
 */

/**
 * `resource` is the name of the list in the API; the default is the value of `name`. Parameters in the
 * URL override the result of `defaults`. The first column contains the name and the link of the row. If the
 * list is not a table, `show` draws the list. If no item matches the filters, the list shows a message, and
 * the content of `gone`. If a filter contains an unknown username, the list shows `unknownUser` in place of
 * the error, because the username is perhaps incomplete.
 *
 * @template {{ id: number }} Item
 * @typedef {{ title: string, name: string, resource?: string, defaults?: (query: URLSearchParams) =>
 *   Record<string, string>, columns?: readonly Column<Item>[], show?: (items: readonly Item[]) => Child,
 *   create?: (() => unknown) | false | undefined, filters: readonly Filter[], gone?: Child,
 *   unknownUser?: string, bulk?: Bulk<Item> | false | undefined }} ListOptions
 */

const ITEMS_PER_PAGE = 25;

/**
 * @template {{ id: number }} Item
 * @param {Screen} screen
 * @param {ListOptions<Item>} options
 * @returns {() => Promise<void>} The returned function reads the list again.
 */
export function showList({ page, query, signal }, options) {
  const { title, name, resource = name, columns = [], create, filters, bulk } = options;
  const noun = resource.replace(/^.*_|s$/g, '');
  const selection = bulk ? createSelection(bulk, () => signal.aborted || read()) : undefined;
  const [stale, staleCount] = takeRows(page, name);
  const count = element('span', { class: 'count' }, staleCount);
  const body = element('div', { 'class': 'list', 'data-name': name }, stale);
  const curl = createCurl(toCall);
  const form = element(
    'form', { class: 'filters', role: 'search', submit, change: select, input: createPause(select) },
    filters.map(({ row }) => row),
  );
  page.replaceChildren(
    element('div', { class: 'heading' }, heading(title), count, element('div', { class: 'actions' }, (
      create && button(`New ${noun}`, create, { 'id': 'new', 'class': 'primary', 'aria-keyshortcuts': 'n' })
    ))),
    form, body, curl.details,
  );
  const read = createReader({
    place: body, signal, toCall, show, explain: ({ slug }) => {
      count.textContent = '';
      return ['unknown-owner', 'not-found'].includes(slug)
        && emptyState(options.unknownUser ?? 'No user has this name now.');
    },
  });
  return read;

  function toCall() {
    const defaults = { items_per_page: String(ITEMS_PER_PAGE), ...options.defaults?.(query) };
    return {
      path: [resource], query: new URLSearchParams({ ...defaults, ...Object.fromEntries(query) }),
    };
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    select();
  }

  function select() {
    const before = query.toString();
    for (const [parameter, value] of filters.flatMap(({ write }) => Object.entries(write()))) {
      put(query, parameter, value);
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

  /** @param {string} sort - The sort key of the clicked column. A second click reverses the order. */
  function sortBy(sort) {
    put(query, 'sort', (query.get('sort') ?? 'id') === sort ? `-${sort}` : sort === 'id' ? '' : sort);
    reload();
  }

  /** @param {Answer} answer */
  function show({ body: answer, hasNext, total }) {
    const items = /** @type {readonly Item[]} */ (answer[resource]);
    const number = Number(query.get('page') ?? 1);
    count.textContent = total && items.length > 0 ? toNumber(total) : '';
    selection?.begin(items);
    if (items.length === 0) {
      draw(body, describeEmpty(number));
      announce(body.textContent ?? '');
      return;
    }
    const before = (number - 1) * pageSize();
    const range = `${(before + 1).toLocaleString('en')}–${(before + items.length).toLocaleString('en')}${
      total ? ` of ${toNumber(total)}` : ''}`;
    draw(
      body, options.show?.(items) ?? createTable({
        caption: title, items, columns: selection ? [selection.column, ...columns] : columns,
        sort: query.get('sort') ?? 'id', sortBy,
      }),
      selection?.bar, createPager(number, range, hasNext, total),
    );
    selection?.show();
    announce(range);
  }

  /** @param {number} number */
  function describeEmpty(number) {
    const isFiltered = [...query.keys()].some((key) => !['sort', 'page', 'items_per_page'].includes(key));
    if (number === 1 && !isFiltered) {
      const first = create && button(`Create your first ${noun}`, create, { class: 'primary' });
      return emptyState(`No ${noun}s yet.`, first);
    }
    const words = number > 1 ? 'The list has no page with this number.' : `No ${noun} matches these filters.`;
    const all = link(toHash([name]), 'Show all', { class: 'button' });
    return emptyState(words, buttons(all, options.gone));
  }

  function pageSize() {
    return Number(toCall().query.get('items_per_page'));
  }

  /** @type {(number: number, range: string, hasNext: boolean, total: Answer['total']) => HTMLElement} */
  function createPager(number, range, hasNext, total) {
    const last = total?.relation === 'exact' ? Math.ceil(total.count / pageSize()) : 0;
    return element(
      'nav', { 'class': 'pager', 'aria-label': 'Pages' }, element('span', { class: 'soft' }, range),
      number > 1 && [toPage('first', 'First page', 1), toPage('prev', 'Previous', number - 1)],
      hasNext && toPage('next', 'Next', number + 1),
      last > number && toPage('last', 'Last page', last),
    );
  }

  /** @type {(relation: string, words: string, number: number) => HTMLElement} */
  function toPage(relation, words, number) {
    const hash = toHash([name], { ...Object.fromEntries(query), page: String(number) });
    return link(hash, words, { class: 'button', rel: relation, id: `page-${relation}` });
  }
}

/**
 * Finds the old rows in the page. Until the new rows arrive, the old rows stay visible, but inert.
 *
 * @type {(page: HTMLElement, name: string) => [rows: HTMLElement | undefined, count: string]}
 */
function takeRows(page, name) {
  const list = page.querySelector(`[data-name="${name}"]:has(table, .day)`);
  list?.querySelector('.bulk')?.remove();
  return list
    ? [element('div', { class: 'stale', inert: true }, ...list.childNodes),
      page.querySelector('.count')?.textContent ?? '']
    : [undefined, ''];
}

/**
 * In narrow windows, CSS shows each row as a card. Some browsers then report no table to screen readers, so
 * all parts of the table have explicit roles. The first column after the checkboxes contains the row headers.
 *
 * @type {<Item>(options: { caption: string, columns: readonly Column<Item>[], items: readonly Item[], sort:
 *   string, sortBy: (sort: string) => void }) => HTMLElement}
 */
function createTable({ caption, columns, items, sort, sortBy }) {
  const naming = columns.find(({ class: kind }) => kind !== 'check');
  return element(
    'table', { role: 'table' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, columns.map(createHead))),
    element('tbody', { role: 'rowgroup', click: followRow }, items.map((item) => (
      element('tr', { role: 'row' }, columns.map((column) => (
        column === naming
          ? element('th', { role: 'rowheader', scope: 'row', class: column.class }, column.cell(item))
          : element('td', { role: 'cell', class: column.class }, column.cell(item))
      )))
    ))),
  );

  /** @param {Omit<Column<unknown>, 'cell'>} column */
  function createHead({ title, class: kind, sort: word }) {
    const direction = sort === word ? 'ascending' : sort === `-${word}` ? 'descending' : undefined;
    const arrow = direction && (direction === 'ascending' ? '↑' : '↓');
    const press = word && element('button', {
      type: 'button', class: 'sort', id: `sort-${word}`, click: () => sortBy(word),
    }, title);
    return element(
      'th', { 'role': 'columnheader', 'scope': 'col', 'class': kind, 'aria-sort': direction }, press || title,
      arrow && element('span', { 'aria-hidden': 'true' }, arrow),
    );
  }
}

/**
 * A click in a row follows the link of the row. Clicking a control or selecting text does not follow the
 * link.
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

/** @type {(query: URLSearchParams, label: string, placeholder: string) => Filter} */
export function createSearch(query, label, placeholder) {
  const mode = createChoice(SEARCH_MODES, { 'aria-label': `${label}: how to search` });
  const text = createInput({
    'aria-label': `${label} to search`, 'aria-keyshortcuts': '/', placeholder,
  });
  mode.value = SEARCH_MODES.find(([name]) => query.has(name))?.[0] ?? 'contains';
  text.value = query.get(mode.value) ?? '';
  return {
    row: element(
      'div', { class: 'filter search' }, text, element('kbd', { 'aria-hidden': 'true' }, '/'), mode,
    ),
    write: () => Object.fromEntries(
      SEARCH_MODES.map(([name]) => [name, name === mode.value ? text.value : '']),
    ),
  };
}

/**
 * The filter sets the query parameter whose name is the value of `name`. With `toParameters`, the filter
 * instead sets the parameters that `toParameters` returns.
 *
 * @type {(query: URLSearchParams, name: string, label: string, control: HTMLInputElement | HTMLSelectElement,
 *   toParameters?: (text: string) => Record<string, string>) => Filter}
 */
export function createFilter(query, name, label, control, toParameters) {
  const text = query.get(name) ?? '';
  control.value = control.type === 'date' ? text.slice(0, 10) : text;
  return {
    row: element('label', { class: 'filter' }, element('span', {}, label), control),
    write: () => toParameters?.(control.value.trim()) ?? { [name]: control.value.trim() },
  };
}

/** @param {Record<string, unknown>} properties */
export function createInput(properties) {
  return element('input', {
    type: 'search', dir: 'auto', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none',
    ...properties,
  });
}

/**
 * @type {(query: URLSearchParams, name: string, label: string, placeholder: string, toParameters?: (text:
 *   string) => Record<string, string>) => Filter}
 */
export function createUserFilter(query, name, label, placeholder, toParameters) {
  const input = createInput({ id: `filter-${name}`, placeholder });
  const filter = createFilter(query, name, label, input, toParameters);
  filter.row.append(suggestUsers(input));
  return filter;
}

/** @type {(parameters: URLSearchParams, name: string, value: string) => void} */
function put(parameters, name, value) {
  parameters.delete(name);
  if (value !== '') {
    parameters.set(name, value);
  }
}
