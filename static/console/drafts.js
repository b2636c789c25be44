/**
 * Keeps the text of forms that were not sent. A draft is kept in the storage of this tab, so it survives
 * Escape, the back button and a reload. The draft of a user is deleted when the form is sent or
 * cancelled, or when the user signs out. Passwords, tokens and links are never kept.
 */
import { storage } from '../shared/elements.js';

/** @typedef {Record<string, string>} Values The values by the names of their fields. */

const KEY = 'rollcall-drafts';

let owner = 0;

/** @param {number} id - The user who has signed in. The drafts of another user are discarded. */
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
 * @param {Values | undefined} values - `undefined` discards the draft.
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
