/** Each part of a screen loads, shows its content, or shows why its request failed. */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Call } from './api.js' */
import { button, element } from '../shared/elements.js';
import { Problem, request } from './api.js';
import { announce, draw, emptyState } from './dom.js';
import { describeProblem } from './form.js';
import { askAgain, SIGNED_IN_AGAIN } from './sign-in.js';

/**
 * The screen fills the element `page`. `path` does not contain the name of the screen. `signal` aborts when
 * the user leaves the screen.
 *
 * @typedef {{ page: HTMLElement, path: readonly string[], query: URLSearchParams, signal: AbortSignal }}
 *   Screen
 */

/**
 * Fills the element `place` with the response, or with the reason why the request failed. Until then, the old
 * content stays. `explain` returns the message for an expected problem. The returned function aborts a
 * request in flight, and sends the request again.
 *
 * @type {(options: { place: HTMLElement, signal: AbortSignal, toCall: () => Call, show: (answer: Answer) =>
 *   void, explain?: ((problem: Problem) => Child) | undefined }) => () => Promise<void>}
 */
export function createReader({ place, signal, toCall, show, explain }) {
  let turn = new AbortController();
  signal.addEventListener('abort', () => turn.abort());
  document.addEventListener(SIGNED_IN_AGAIN, read, { signal });
  if (!place.hasChildNodes()) {
    place.append(createLoading());
  }
  read();
  return read;

  async function read() {
    turn.abort();
    const own = turn = new AbortController();
    place.ariaBusy = 'true';
    try {
      show(await request({ ...toCall(), signal: own.signal }));
      focusFollowed(place);
    } catch (error) {
      if (!(error instanceof Problem)) {
        return; // a newer request has replaced this request, or the user has left the screen
      }
      const words = explain?.(error);
      draw(place, words || createFailure(error, read));
      announce(words ? '' : error.message);
    }
    place.ariaBusy = 'false';
  }
}

/**
 * If the user goes back, the focus returns to the link that the user followed before. If the user has already
 * moved the focus, the focus stays.
 */
function focusFollowed(/** @type {HTMLElement} */ place) {
  const followed = history.state?.followed;
  const link = [...place.querySelectorAll('a')].find((each) => each.getAttribute('href') === followed);
  if (link && document.activeElement?.tagName === 'H1') {
    link.focus();
    link.scrollIntoView({ block: 'center' });
  }
}

/** @type {(signal: AbortSignal, call: Call, toContent: (answer: Answer) => Child) => HTMLElement} */
export function createPart(signal, call, toContent) {
  const place = element('div');
  createReader({ place, signal, toCall: () => call, show: (answer) => draw(place, toContent(answer)) });
  return place;
}

/** @type {(title: Child, more: Child, ...content: Child[]) => HTMLElement} */
export function createPanel(title, more, ...content) {
  return element('section', { class: 'panel' }, element('h2', {}, title, more), content);
}

export function createLoading() {
  return element('p', { class: 'state loading' }, element('span', { class: 'tally' }), 'Loading…');
}

/** @type {(problem: Problem, retry: () => unknown) => HTMLElement} */
export function createFailure(problem, retry) {
  return problem.slug === 'unauthenticated'
    ? emptyState('You are signed out.', button('Sign in', askAgain, { class: 'primary' }))
    : element('div', { class: 'problem' }, describeProblem(problem), button('Try again', retry));
}
