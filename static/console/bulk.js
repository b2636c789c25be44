/**
 * Runs one action on all selected rows of a list. The requests for the rows are sent one after another.
 * If a request fails, the row shows the reason and stays selected.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Call } from './api.js' */
/** @import { Column } from './list.js' */
import { button, element } from '../shared/elements.js';
import { Problem, request } from './api.js';
import { announce, buttons, draw, isolate, toCount } from './dom.js';
import { openDialog } from './form.js';

/**
 * `past` completes the sentence "3 users were …". If `applies` returns false, the action skips the item.
 *
 * @template Item
 * @typedef {{ id: string, title: string, past: string, words: string, isDangerous?: boolean, applies?: (item:
 *   Item) => boolean, toCall: (item: Item) => Call }} BulkAction
 */

/**
 * @template Item
 * @typedef {{ noun: string, toName: (item: Item) => string, isSelectable: (item: Item) => boolean, actions:
 *   readonly BulkAction<Item>[] }} Bulk
 */

/** Status 0 (no connection) and 401 (no session) end the action, because further requests would fail. */
const ENDS = [0, 401];

/**
 * @template {{ id: number }} Item
 * @param {Bulk<Item>} bulk
 * @param {() => unknown} reload
 */
export function createSelection({ noun, toName, isSelectable, actions }, reload) {
  /** @type {readonly Item[]} */
  let items = [];
  /** @type {Map<number, HTMLInputElement>} The keys are the ids of items. */
  const boxes = new Map();
  /** @type {ReadonlySet<number>} */
  let kept = new Set();
  const bar = element('div', { 'class': 'bulk', 'role': 'group', 'aria-label': 'Selected', 'hidden': true });
  const all = element('input', {
    'type': 'checkbox', 'aria-label': `Select all ${noun}s on this page`, 'change': selectAll,
  });
  /** @type {Column<Item>} */
  const column = {
    title: element('label', { class: 'pick' }, all),
    class: 'check',
    cell: (item) => {
      if (!isSelectable(item)) {
        return '';
      }
      const label = `Select ${toName(item)}`;
      const box = element('input', {
        'type': 'checkbox', 'aria-label': label, 'checked': kept.has(item.id), 'change': show,
      });
      boxes.set(item.id, box);
      return element('label', { class: 'pick' }, box);
    },
  };
  return { column, bar, begin, show };

  /** @param {readonly Item[]} shown - The new items. Selected items stay selected. */
  function begin(shown) {
    kept = new Set(selected().map(({ id }) => id));
    items = shown;
    boxes.clear();
  }

  function selected() {
    return items.filter(({ id }) => boxes.get(id)?.checked);
  }

  function selectAll() {
    for (const box of boxes.values()) {
      box.checked = all.checked;
    }
    show();
  }

  function show() {
    const chosen = selected();
    const [before] = bar.textContent.split(' ');
    all.checked = chosen.length > 0 && chosen.length === boxes.size;
    all.indeterminate = chosen.length > 0 && !all.checked;
    bar.hidden = chosen.length === 0;
    draw(
      bar, element('strong', {}, `${chosen.length} selected`),
      actions.map((action) => createAction(action, chosen.filter(action.applies ?? (() => true)))),
      button('Clear', clear, { class: 'quiet small' }),
    );
    if (!bar.hidden && before !== String(chosen.length)) {
      announce(`${chosen.length} selected. The actions are below the list.`);
    }
  }

  function clear() {
    all.checked = false;
    selectAll();
  }

  /** @type {(action: BulkAction<Item>, chosen: readonly Item[]) => Child} */
  function createAction(action, chosen) {
    return chosen.length > 0 && button(`${action.title} ${chosen.length}`, () => {
      openQuestion({ noun, toName }, action, chosen, finish);
    }, { id: `bulk-${action.id}`, class: action.isDangerous ? 'danger small' : 'small' });
  }

  /** @type {(done: readonly Item[], words: string) => void} */
  function finish(done, words) {
    for (const { id } of done) {
      boxes.delete(id); // a changed item is no longer selected
    }
    show();
    if (done.length > 0) {
      reload();
      announce(words, 'shown');
    }
  }
}

/**
 * Asks for confirmation, then sends the requests. "Stop", Escape or a change of the URL prevents further
 * requests. The result of a request in flight is still reported. `finish` is called after the dialog closes.
 *
 * @type {<Item>(bulk: Pick<Bulk<Item>, 'noun' | 'toName'>, action: BulkAction<Item>, items: readonly Item[],
 *   finish: (done: readonly Item[], words: string) => unknown) => void}
 */
function openQuestion({ noun, toName }, { title, past, words, isDangerous, toCall }, items, finish) {
  const rows = items.map((item) => ({ item, result: element('span', { class: 'soft' }), isDone: false }));
  let isSending = false;
  let isStopped = false;
  const progress = element('progress', {
    'max': rows.length, 'value': 0, 'aria-label': 'Progress', 'hidden': true,
  });
  const status = element('p', { class: 'hint' }, words);
  const leave = button('Cancel', () => (isSending ? stop() : dialog.close()), { autofocus: true });
  const go = button(`${title} ${toCount(rows.length, noun)}`, run, {
    class: isDangerous ? 'danger filled' : 'primary',
  });
  const dialog = openDialog(
    `${title} ${toCount(rows.length, noun)}?`, status,
    element('ul', { 'class': 'rows results', 'tabindex': 0, 'aria-label': 'Results' }, (
      rows.map(({ item, result }) => element('li', {}, element('span', {}, isolate(toName(item))), result))
    )),
    progress, buttons(leave, go),
  );
  dialog.addEventListener('cancel', (event) => {
    if (isSending) {
      event.preventDefault();
      stop();
    }
  });
  dialog.addEventListener('close', close);

  function stop() {
    isStopped = true;
  }

  function close() {
    if (isSending) {
      stop(); // when the request in flight ends, `run` calls `close` again
    } else {
      finish(rows.filter(({ isDone }) => isDone).map(({ item }) => item), describe());
    }
  }

  async function run() {
    if (isSending) {
      return;
    }
    isSending = true;
    isStopped = false;
    progress.hidden = false;
    go.ariaDisabled = 'true';
    leave.textContent = 'Stop';
    for (const row of rows.filter(({ isDone }) => !isDone)) {
      if (isStopped || !await send(row)) {
        break;
      }
    }
    isSending = false;
    (dialog.open ? report : close)();
  }

  /** @type {(row: typeof rows[number]) => Promise<boolean>} The result false stops the action. */
  async function send(row) {
    draw(row.result, 'Sending…');
    row.result.scrollIntoView({ block: 'nearest' });
    const call = toCall(row.item);
    const error = await request(call).then(() => undefined, (problem) => problem);
    if (error !== undefined && !(error instanceof Problem)) {
      throw error;
    }
    // A deletion gets 404 if another user, or an earlier request without a response, deleted the item.
    const isGone = error?.status === 404 && call.method === 'DELETE';
    row.isDone = error === undefined || isGone;
    row.result.className = row.isDone ? 'good' : 'bad';
    const why = [error?.message, error?.detail].filter(Boolean).join(': ');
    draw(row.result, isGone ? '✓ Already deleted' : row.isDone ? '✓ Done' : why);
    progress.value = countDone();
    return error === undefined || !ENDS.includes(error.status);
  }

  function report() {
    const left = rows.length - countDone();
    for (const { result } of rows.filter(({ result: { textContent } }) => textContent === '')) {
      draw(result, 'Not sent');
    }
    go.hidden = left === 0;
    go.ariaDisabled = 'false';
    draw(go, `Try the remaining ${left} again`);
    leave.textContent = left === 0 ? 'Done' : 'Close';
    draw(status, left === 0 ? '' : describe());
    dialog.querySelector('h2')?.replaceChildren(left === 0 ? describe() : `${left} of ${rows.length} left`);
    announce(describe());
    if (document.querySelector('dialog[open]:last-of-type') === dialog) {
      leave.focus(); // if a sign-in form is in front of the dialog, the form keeps the focus
    }
  }

  function countDone() {
    return rows.filter(({ isDone }) => isDone).length;
  }

  function describe() {
    const done = countDone();
    const sentence = `${toCount(done, noun)} ${done === 1 ? 'was' : 'were'} ${past}`;
    const left = rows.length - done;
    return left === 0 ? `${sentence}.` : `${sentence}. Still selected: ${left}.`;
  }
}
