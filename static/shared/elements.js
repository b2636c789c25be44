/**
 * Creates elements. Text always becomes a text node, so users' text cannot become markup. The Content
 * Security Policy of the pages (Trusted Types) also prevents scripts from inserting text as markup.
 */

/**
 * @typedef {string | Node | null | undefined | false | readonly Child[]} Child Children that are `null`,
 *   `undefined` or `false` are left out.
 */

/**
 * @param {readonly Child[]} children
 * @returns {(string | Node)[]}
 */
export function toNodes(children) {
  return children.flatMap((child) => {
    if (typeof child === 'string' || child instanceof Node) {
      return [child];
    }
    return child ? toNodes(child) : [];
  });
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, unknown>>} [properties] - In `{ click: send }`, the function `send` listens
 *   for the event `click`. The value `true` sets an attribute without a value. The values `undefined`, `null`
 *   and `false` set no attribute.
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') {
      node.addEventListener(key, /** @type {EventListener} */ (value));
    } else if (value !== undefined && value !== null && value !== false) {
      node.setAttribute(key, value === true ? '' : String(value));
    }
  }
  node.append(...toNodes(children));
  return node;
}

/**
 * @param {string} label
 * @param {(event: MouseEvent) => unknown} press
 * @param {Readonly<Record<string, unknown>>} [properties]
 */
export function button(label, press, properties = {}) {
  return element('button', { type: 'button', click: press, ...properties }, label);
}

const COPIED_SHOWN_MS = 2000;

/**
 * @param {string} what - The words after "Copy" in the label.
 * @param {() => Node} find - Finds the node whose text is copied.
 * @param {(message: string) => unknown} [tell] - Tells the user whether the text was copied.
 */
export function createCopyButton(what, find, tell = () => undefined) {
  const word = element('span', {}, 'Copy');
  return element(
    'button', { type: 'button', class: 'copy', click: copy }, word,
    element('span', { class: 'unseen' }, ` ${what}`),
  );

  async function copy() {
    const node = find();
    try {
      await navigator.clipboard.writeText(node.textContent ?? '');
      word.textContent = 'Copied';
      tell(`Copied ${what}`);
    } catch { // browsers allow access to the clipboard only with TLS and the user's consent
      getSelection()?.selectAllChildren(node);
      word.textContent = 'Selected';
      tell(`Cannot use the clipboard. Press Ctrl+C to copy ${what}, which is selected.`);
    }
    setTimeout(() => { word.textContent = 'Copy'; }, COPIED_SHOWN_MS);
  }
}

/**
 * Creates a block of code. The attribute `tabindex` lets the keyboard scroll the block.
 *
 * @param {string} label
 * @param {...Child} content
 */
export function lines(label, ...content) {
  return element(
    'pre', { 'role': 'group', 'aria-label': label, 'tabindex': 0 }, element('code', {}, ...content),
  );
}

/**
 * @param {'localStorage' | 'sessionStorage'} name
 * @returns {Storage | undefined} The value is `undefined` if the browser forbids storage.
 */
export function storage(name) {
  try {
    return window[name];
  } catch {
    return undefined;
  }
}

/** If the user chooses to stay signed in, the tab stores the token of the console under this key. */
export const TOKEN_KEY = 'rollcall-token';
