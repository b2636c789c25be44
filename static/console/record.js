/** The screen of a single user or project: its facts, and the forms that change the record. */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer } from './api.js' */
/** @import { FormOptions, Target } from './form.js' */
/** @import { Screen } from './screen.js' */
import { element } from '../shared/elements.js';
import { me } from './api.js';
import { announce, draw, emptyState, heading, isolate, link, toHash } from './dom.js';
import { createCurl, openForm } from './form.js';
import { createReader } from './screen.js';

/**
 * Opens a form that changes the record. After the change, the screen shows the changed record. The title of
 * the form begins with `what`. The default label of the submit button is also `what`.
 *
 * @typedef {(what: string, options: Partial<FormOptions> & Pick<FormOptions, 'toCall'>, ...words: readonly
 *   Child[]) => void} Change
 *
 * @typedef {{ mark?: Child, badges?: Child, below?: Child, actions: Child, parts: readonly Child[] }} Content
 */

/**
 * `title` is the title of the list that contains the record.
 *
 * @type {(screen: Screen, options: { resource: string, title: string, nameMember: string, toContent: (record:
 *   Record<string, any>, change: Change) => Content, changed?: (record: Record<string, any>) => unknown }) =>
 *   void}
 */
export function showRecord(
  { page, path: [idOrName = ''], signal }, { resource, title, nameMember, toContent, changed },
) {
  const noun = resource.slice(0, -1);
  const head = element('div', { class: 'head' }, heading(idOrName));
  const body = element('div', { class: 'record' });
  page.replaceChildren(element('p', { class: 'crumb' }, link(toHash([resource]), title)), head, body);
  const read = createReader({
    place: body, signal, toCall: () => ({ path: [resource, idOrName] }), show: showAnswer,
    explain: ({ status }) => status === 404 && emptyState(`There is no such ${noun}.`, toDeletions(noun)),
  });

  /** @param {Answer} answer */
  function showAnswer({ body: record, etag }) {
    show({ path: [resource, record.id], record, etag });
  }

  /** @param {Target} target */
  function show(target) {
    const text = target.record[nameMember];
    const { mark, badges, below, actions, parts } = toContent(target.record, change);
    draw(
      head, mark,
      element(
        'div', { class: 'title' }, element('div', { class: 'heading' }, heading(isolate(text)), badges),
        element('div', { class: 'below' }, below),
      ),
      element('div', { class: 'actions' }, actions),
    );
    draw(body, parts, createCurl(() => ({ path: target.path })).details);
    if (!signal.aborted) {
      document.title = `${text} · ${title} · Rollcall`;
    }

    /** @type {Change} */
    function change(what, options, ...words) {
      const defaults = { target, submit: what, reloaded: show, done: saved };
      openForm(`${what} ${text}`, { ...defaults, ...options }, ...words);
    }

    /** @param {Answer} answer */
    async function saved(answer) {
      await changed?.(target.record);
      // A response without an ETag does not contain the record.
      await (answer.etag === undefined ? read() : showAnswer(answer));
      announce(`${text} was changed`, 'shown');
    }
  }
}

/** @param {...(readonly [words: Child, button: Child] | false | undefined)} entries */
export function createRedZone(...entries) {
  return element(
    'section', { class: 'red-zone' }, element('h2', {}, 'Danger zone'),
    entries.map((entry) => entry && element('div', {}, element('p', {}, entry[0]), entry[1])),
  );
}

/** Only administrators can read the audit trail. @param {string} noun */
export function toDeletions(noun) {
  const hash = toHash(['audit'], { action: `${noun}.delete` });
  return me()?.is_admin && link(hash, `See who deleted a ${noun}`, { class: 'button' });
}
