/** Gives the commands of a page to read the address of this service, and a button that copies them. */
import { createCopyButton, element } from './shared/elements.js';

const base = new URL('..', import.meta.url).href.replace(/\/$/, '');

for (const origin of document.querySelectorAll('.origin')) {
  origin.textContent = base;
}
for (const pre of document.querySelectorAll('pre[aria-label^="Command"]')) {
  const frame = element('div', { class: 'copyable' });
  pre.replaceWith(frame);
  frame.append(pre, createCopyButton('the command', () => pre.firstElementChild ?? pre));
}
