/** Gives commands the address of this service, and a button that copies them. */
import { createCopyButton, element } from './shared/elements.js';

const { origin: host, pathname } = new URL('..', import.meta.url);
const path = pathname.replace(/\/$/, ''); // BASE_PATH

for (const place of document.querySelectorAll('.origin')) {
  // `Location` and `Link` begin with the path, so commands that use them put only the host before it.
  const hasHost = !place.classList.contains('path');
  const hasPath = !place.classList.contains('host');
  place.textContent = (hasHost ? host : '') + (hasPath ? path : '');
}
for (const pre of document.querySelectorAll('pre[aria-label^="Command"]')) {
  const frame = element('div', { class: 'copyable' });
  pre.replaceWith(frame);
  frame.append(pre, createCopyButton('the command', () => pre.firstElementChild ?? pre));
}
