/**
 * Lists: filters, rows and pages. The address of a list holds the parameters of its request, for reload, the
 * way back and bookmarks.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer } from './api.js' */
/** @import { Choices } from './dom.js' */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { announce, createChoice, draw, emptyState, heading, link, time, toHash } from './dom.js';
import { createCurl, createPause } from './form.js';
import { createReader } from './screen.js';

/**
 * `sort` is a word of the parameter of that name. Columns of the class `wide` are left out on narrow screens.
 *
 * @template Item
 * @typedef {{ title: string, cell: (item: Item) => Child, class?: string, sort?: string }} Column
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
 * screen. The first column names the row, and its link is where a click on the row leads. `show` is for a
 * list that is no table.
 *
 * @template Item
 * @typedef {{ title: string, name: string, resource?: string, columns?: readonly Column<Item>[], actions?:
 *   readonly Child[], filters: readonly Filter[], moreFilters?: Promise<readonly Filter[]>, show?: (items:
 *   readonly Item[]) => Child, empty?: Child, noMatch?: (query: URLSearchParams) => string, }} ListOptions
 */

const ITEMS_PER_PAGE = '25';

/**
 * @template Item
 * @param {Screen} screen
 * @param {ListOptions<Item>} options
 * @returns {() => Promise<void>} Reads again.
 */
export function showList({ page, query, signal }, options) {
  const {
    title, name, resource = name, columns = [], actions = [], empty = emptyState('There is nothing yet.'),
  } = options;
  const filters = [...options.filters];
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
  options.moreFilters?.then((more) => {
    filters.push(...more);
    form.append(...more.map(({ row }) => row));
  });
  const read = createReader({ place: body, signal, toCall, show });
  return read;

  function toCall() {
    return {
      path: [resource],
      query: new URLSearchParams({ items_per_page: ITEMS_PER_PAGE, ...Object.fromEntries(query) }),
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
  function show({ body: answer, links, total }) {
    const items = /** @type {readonly Item[]} */ (answer[resource]);
    const number = Number(query.get('page') ?? 1);
    const before = (number - 1) * Number(toCall().query.get('items_per_page'));
    if (items.length > 0) {
      const whole = total ?? (links['next'] ? undefined : String(before + items.length));
      const range = `${before + 1}–${before + items.length}${whole ? ` of ${whole}` : ''}`;
      count.textContent = whole ?? '';
      draw(
        body, options.show?.(items) ?? createTable({
          caption: title, columns, items, sort: query.get('sort') ?? 'id', sortBy,
        }),
        createPager(links, number, range),
      );
      announce(range);
      return;
    }
    count.textContent = '';
    const isFiltered = [...query.keys()].some((key) => !['sort', 'page', 'items_per_page'].includes(key));
    if (number > 1 || isFiltered) {
      const words = number > 1 ? "This page doesn't exist." : options.noMatch?.(query) ?? 'Nothing matches.';
      draw(body, emptyState(words, link(toHash([name]), 'Show all', { class: 'button' })));
    } else {
      draw(body, empty);
    }
    announce(body.textContent ?? '');
  }

  /**
   * @param {Answer['links']} links
   * @param {number} number
   * @param {string} range
   */
  function createPager(links, number, range) {
    const shown = RELATIONS.filter(([relation]) => links[relation] && (number > 1 || relation === 'next'));
    return element(
      'nav', { 'class': 'pager', 'aria-label': 'Pages' }, element('span', { class: 'soft' }, range),
      shown.map(([relation, words]) => (
        link(toHash([name], links[relation]), words, { class: 'button', rel: relation })
      )),
    );
  }
}

/** @type {Choices} */
const RELATIONS = [['first', 'First page'], ['prev', 'Previous'], ['next', 'Next']];

/**
 * Narrow screens show rows as cards; roles are spelled out, as some browsers forget then that this is a
 * table.
 *
 * @template Item
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly Column<Item>[]} options.columns
 * @param {readonly Item[]} options.items
 * @param {string} [options.sort] - What the rows are sorted by.
 * @param {(sort: string) => void} [options.sortBy]
 */
export function createTable({ caption, columns, items, sort = '', sortBy }) {
  return element(
    'table', { role: 'table' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, columns.map(createHead))),
    element('tbody', { role: 'rowgroup', click: followRow }, items.map((item) => (
      element('tr', { role: 'row' }, columns.map(({ cell, class: kind }, index) => (
        index === 0
          ? element('th', { role: 'rowheader', scope: 'row', class: kind }, cell(item))
          : element('td', { role: 'cell', class: kind }, cell(item))
      )))
    ))),
  );

  /** @param {Column<Item>} column */
  function createHead({ title, class: kind, sort: word }) {
    const direction = sort === word ? 'ascending' : sort === `-${word}` ? 'descending' : undefined;
    const arrow = { ascending: '↑', descending: '↓', none: '' }[direction ?? 'none'];
    const press = sortBy && word && (() => sortBy(word));
    const content = press ? button(title, press, { class: 'sort', id: `sort-${word}` }) : title;
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
  const isMeant = target instanceof Element && !target.closest('a, button') && getSelection()?.isCollapsed;
  if (isMeant) {
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
