/** The screen of a single record: its heading, its parts, and the forms that change the record. */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer } from './api.js' */
/** @import { FormOptions, Target } from './form.js' */
/** @import { Screen } from './screen.js' */
import { element } from '../shared/elements.js';
import { announce, draw, emptyState, heading, isolate, link, toHash } from './dom.js';
import { createCurl, openForm } from './form.js';
import { createReader } from './screen.js';
import { me } from './sign-in.js';

/**
 * Opens a form that changes the record, and then shows the changed record. The name of the record is added to
 * the title.
 *
 * @typedef {(title: string, options: Omit<FormOptions, 'done'> & Partial<FormOptions>, ...words: readonly
 *   Child[]) => void} Change
 */

/**
 * @typedef {{ mark?: Child, badges?: Child, below: Child, actions: Child, parts: readonly Child[] }} Content
 */

/**
 * @param {Screen} screen
 * @param {object} options
 * @param {string} options.resource
 * @param {string} options.title - The title of the list that has the record.
 * @param {string} options.nameMember
 * @param {(record: Record<string, any>, change: Change) => Content} options.toContent
 * @param {(record: Record<string, any>) => unknown} [options.changed]
 */
export function showRecord({
  page, path: [idOrName = ''], signal,
}, { resource, title, nameMember, toContent, changed }) {
  const noun = resource.slice(0, -1);
  const name = heading(idOrName);
  const mark = element('div');
  const badges = element('div');
  const below = element('div', { class: 'below' });
  const actions = element('div', { class: 'actions' });
  const body = element('div', { class: 'record' });
  page.replaceChildren(
    element('p', { class: 'crumb' }, link(toHash([resource]), title)),
    element(
      'div', { class: 'head' }, mark,
      element('div', { class: 'title' }, element('div', { class: 'heading' }, name, badges), below),
      actions,
    ),
    body,
  );
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
    const content = toContent(target.record, change);
    name.replaceChildren(isolate(text));
    draw(mark, content.mark);
    draw(badges, content.badges);
    draw(below, content.below);
    draw(actions, content.actions);
    draw(body, ...content.parts, createCurl(() => ({ path: target.path })).details);
    if (!signal.aborted) {
      document.title = `${text} · ${title} · Rollcall`;
    }

    /** @type {Change} */
    function change(what, options, ...words) {
      openForm(
        `${what} ${text}`, { target, reloaded: show, done: saved, ...options },
        words.map((part) => element('p', {}, part)),
      );
    }

    /** @param {Answer} answer */
    async function saved(answer) {
      await changed?.(target.record);
      await (answer.etag === undefined ? read() : showAnswer(answer)); // not every response has a record
      announce(`${text} was changed`, 'shown');
    }
  }
}

/**
 * The dangerous actions, at the end of a record and apart from all other actions.
 *
 * @param {...(readonly [words: Child, button: Child] | false | undefined)} entries
 */
export function createRedZone(...entries) {
  return element(
    'section', { class: 'red-zone' }, element('h2', {}, 'Danger zone'),
    entries.map((entry) => entry && element('div', {}, element('p', {}, entry[0]), entry[1])),
  );
}

/** A link for administrators to the deletions in the audit trail. @param {string} noun */
export function toDeletions(noun) {
  const hash = toHash(['audit'], { action: `${noun}.delete` });
  return me()?.is_admin && link(hash, `See who deleted a ${noun}`, { class: 'button' });
}
