/** Gives commands the address of this service, and a button that copies them. */
import { createCopyButton, element } from './shared/elements.js';

const { origin: host, pathname } = new URL('..', import.meta.url);
const path = pathname.replace(/\/$/, ''); // the value of BASE_PATH

for (const place of document.querySelectorAll('.origin')) {
  // Commands that use `Location` need only the host, because this field begins with the path.
  place.textContent = place.classList.contains('host') ? host : host + path;
}
for (const pre of document.querySelectorAll('pre[aria-label^="Command"]')) {
  const frame = element('div', { class: 'copyable' });
  pre.replaceWith(frame);
  frame.append(pre, createCopyButton('the command', () => pre.firstElementChild ?? pre));
}
