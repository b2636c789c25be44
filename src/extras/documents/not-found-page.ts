/** The page for a wrong address. It is the same for every address, and repeats no part of it. */
import { framePage } from './frame.ts';
import { html } from './html.ts';

/**
 * @param basePath - A prefix such as `/rollcall`, or empty. Links need it: the page appears at any depth, so
 *   they cannot be relative.
 */
export function createNotFoundPage(basePath: string): string {
  const root = `${basePath}/static/`;
  return framePage({
    title: 'There is no page at this address',
    description: 'The Rollcall service has nothing at this address.',
    root,
    margin: html`<p class="status">404</p>`,
    lede: html`The link may be old, or the address misspelt: upper and lower case matter. The service itself
    is fine.`,
  }, html`
  <section class="sheet">
    <h2>Go to</h2>
    <div>
      <p class="doors">
        <a class="button primary" href="${root}console/">The console</a>
        <a class="button" href="${root}reference/">The API reference</a>
        <a href="${root}index.html">About Rollcall</a>
      </p>
      <p class="note">Programs get this as JSON, unless they prefer <code>text/html</code>: the problem
        <a href="${root}problems.html#not-found"><code>not-found</code></a>.</p>
    </div>
  </section>`);
}
