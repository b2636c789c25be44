/** Gives commands the address of this service, and a button that copies them. */
import { createCopyButton, element } from './shared/elements.js';

const { origin: host, pathname } = new URL('..', import.meta.url);
const path = pathname.replace(/\/$/, ''); // the value of BASE_PATH

for (const place of document.querySelectorAll('.origin')) {
  // Commands that use `Location` or `Link` need only the host, because these fields begin with the path.
  const hasHost = !place.classList.contains('path');
  const hasPath = !place.classList.contains('host');
  place.textContent = (hasHost ? host : '') + (hasPath ? path : '');
}
for (const pre of document.querySelectorAll('pre[aria-label^="Command"]')) {
  const frame = element('div', { class: 'copyable' });
  pre.replaceWith(frame);
  frame.append(pre, createCopyButton('the command', () => pre.firstElementChild ?? pre));
}
