/** In the console and the reference, users can turn off single-character shortcuts (WCAG 2.1.4). */
import { element, storage } from './elements.js';

const STORAGE_KEY = 'rollcall-shortcuts';

function usesSingleKeys() {
  return storage('localStorage')?.getItem(STORAGE_KEY) !== 'off';
}

/**
 * @param {Readonly<Record<string, () => unknown>>} actions - The actions by key, such as `/` or `Ctrl k`.
 *   On Macs, `Ctrl k` is also ⌘K.
 * @param {() => boolean} isUsable - While the result is false, keys do nothing.
 */
export function listenForKeys(actions, isUsable) {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey, isComposing } = event;
    const isChord = ctrlKey || metaKey;
    const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null;
    const act = actions[isChord ? `Ctrl ${key}` : key];
    if (act && !altKey && !isComposing && (isChord || (!isTyping && usesSingleKeys())) && isUsable()) {
      event.preventDefault(); // prevents the character from being typed into the field that gets the focus
      act();
    }
  });
}

/** @param {string} label */
export function createKeysChoice(label) {
  const box = element('input', {
    type: 'checkbox', checked: usesSingleKeys(),
    change: () => storage('localStorage')?.setItem(STORAGE_KEY, box.checked ? 'on' : 'off'),
  });
  return element('label', { class: 'choice' }, box, element('span', {}, label));
}
