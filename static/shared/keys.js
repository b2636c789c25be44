/**
 * Keyboard shortcuts. Keys of one character can be turned off (WCAG 2.1.4), for the console and the reference
 * at once.
 */
import { element, storage } from './elements.js';

const STORAGE_KEY = 'rollcall-shortcuts';

function usesSingleKeys() {
  return storage('localStorage')?.getItem(STORAGE_KEY) !== 'off';
}

/**
 * @param {Readonly<Record<string, () => unknown>>} actions - By the key, such as `/`, or `Ctrl k`, which is
 *   ⌘K on a Mac.
 * @param {() => boolean} isUsable - Asked before each action.
 */
export function listenForKeys(actions, isUsable) {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey, isComposing } = event;
    const isChord = ctrlKey || metaKey;
    const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null;
    const act = actions[isChord ? `Ctrl ${key}` : key];
    if (act && !altKey && !isComposing && (isChord || (!isTyping && usesSingleKeys())) && isUsable()) {
      event.preventDefault(); // or the key would be typed into the field that it leads to
      act();
    }
  });
}

/** The choice whether keys of one character are used. @param {string} label */
export function createKeysChoice(label) {
  const box = element('input', {
    type: 'checkbox', checked: usesSingleKeys(),
    change: () => storage('localStorage')?.setItem(STORAGE_KEY, box.checked ? 'on' : 'off'),
  });
  return element('label', { class: 'choice' }, box, element('span', {}, label));
}
