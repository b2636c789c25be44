/**
 * The storage of this tab keeps drafts of forms, so a draft survives Escape, the back button and a reload. A
 * draft is deleted when the form is sent or cancelled, or when the user signs out. A draft never contains
 * passwords, tokens or links. Without a session, only the form to register keeps a draft.
 */
import { storage } from '../shared/elements.js';

/** @typedef {Record<string, string>} Values The keys are the names of fields. */

const KEY = 'rollcall-drafts';

/** This form has no signed-in user, so its draft is also deleted when anybody signs in. */
export const REGISTRATION = 'Register';

let owner = 0;

/** @param {number} id - The id of the signed-in user. Drafts of another user are deleted. */
export function openDrafts(id) {
  if (readAll().owner !== id) {
    forgetDrafts();
  }
  owner = id;
  keepDraft(REGISTRATION, undefined);
}

export function forgetDrafts() {
  owner = 0;
  storage('sessionStorage')?.removeItem(KEY);
}

/** @param {string} name */
export function findDraft(name) {
  return readAll().drafts[name];
}

/**
 * @param {string} name - The name is empty for a form that keeps no draft.
 * @param {Values | undefined} values - The value `undefined` deletes the draft.
 */
export function keepDraft(name, values) {
  const { owner: before, drafts } = readAll();
  if (name !== '') {
    // Without a session, the stored owner does not change, because this user perhaps signs in again.
    const all = { owner: owner || before, drafts: { ...drafts, [name]: values } };
    storage('sessionStorage')?.setItem(KEY, JSON.stringify(all));
  }
}

/** @returns {{ owner: number, drafts: Record<string, Values | undefined> }} */
function readAll() {
  return JSON.parse(storage('sessionStorage')?.getItem(KEY) ?? '{"owner":0,"drafts":{}}');
}
