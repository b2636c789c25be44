/** Modal dialogs. */
/** @import { Child } from '../shared/elements.js' */
import { element } from '../shared/elements.js';
import { announce, focusSuccessor, placeLiveRegion } from './dom.js';

let lastId = 0;

/**
 * Opens a dialog. When the dialog closes, focus returns to the element that had it before.
 *
 * @param {string} title
 * @param {...Child} content
 */
export function openDialog(title, ...content) {
  const opener = document.activeElement;
  const id = `dialog-${lastId += 1}`;
  const dialog = element(
    'dialog', { 'aria-labelledby': id, close }, element('h2', { id }, title), ...content,
  );
  document.body.append(dialog);
  dialog.showModal();
  focusField(dialog);
  announce('', 'shown'); // the message about the last action is out of date
  return dialog;

  function close() {
    placeLiveRegion();
    dialog.remove();
    if (document.querySelector('dialog[open]') === null) {
      focusSuccessor(opener);
    }
  }
}

/** Focuses the first field that the user can fill in. @param {HTMLDialogElement} dialog */
function focusField(dialog) {
  const isFilled = document.activeElement?.matches('[readonly]');
  const field = dialog.querySelector(isFilled ? 'input:not([readonly])' : '[data-first]');
  /** @type {HTMLElement | null} */ (field)?.focus();
}

/**
 * Keeps a dialog open on Escape and when the address changes, because its content cannot be shown again.
 *
 * @param {HTMLDialogElement} dialog
 * @param {() => unknown} refused - Called for each Escape.
 */
export function holdOpen(dialog, refused) {
  dialog.setAttribute('closedby', 'none');
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault(); // for browsers that do not know `closedby`
      refused();
    }
  });
}
