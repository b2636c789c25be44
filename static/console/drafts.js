/**
 * Keeps the text of forms that were not sent. A draft is kept in the storage of this tab, so the draft
 * survives Escape, the back button and a reload. A draft is deleted when its form is sent or cancelled, or
 * when the user signs out. A draft never contains passwords, tokens or links.
 */
import { storage } from '../shared/elements.js';

/** @typedef {Record<string, string>} Values The value of each field, by the name of the field. */

const KEY = 'rollcall-drafts';

let owner = 0;

/** @param {number} id - The id of the user who has signed in. The drafts of any other user are discarded. */
export function openDrafts(id) {
  owner = id;
  if (readAll().owner !== id) {
    forgetDrafts();
  }
}

export function forgetDrafts() {
  storage('sessionStorage')?.removeItem(KEY);
}

/** @param {string} name */
export function findDraft(name) {
  return readAll().drafts[name];
}

/**
 * @param {string} name - The name of the draft; empty for a form that keeps no draft.
 * @param {Values | undefined} values - The values to keep, or `undefined` to discard the draft.
 */
export function keepDraft(name, values) {
  const drafts = { ...readAll().drafts, [name]: values };
  if (name !== '') {
    storage('sessionStorage')?.setItem(KEY, JSON.stringify({ owner, drafts }));
  }
}

/** @returns {{ owner: number, drafts: Record<string, Values | undefined> }} */
function readAll() {
  return JSON.parse(storage('sessionStorage')?.getItem(KEY) ?? '{"owner":0,"drafts":{}}');
}
