/**
 * Writes the address of this service into the commands of a page, and adds a copy button to each command.
 */
import { createCopyButton, element } from './shared/elements.js';

const { origin: host, pathname } = new URL('..', import.meta.url);
const path = pathname.replace(/\/$/, ''); // the value of BASE_PATH

for (const place of document.querySelectorAll('.origin')) {
  // A path from the header field `Location` contains BASE_PATH, so only the host is put before this path.
  place.textContent = place.classList.contains('host') ? host : host + path;
}
for (const pre of document.querySelectorAll('pre[aria-label^="Command"]')) {
  const frame = element('div', { class: 'copyable' });
  pre.replaceWith(frame);
  frame.append(pre, createCopyButton('the command', () => pre.firstElementChild ?? pre));
}
