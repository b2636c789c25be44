/** The states of every part of a screen: it loads, shows its content, or shows why it failed. */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Call } from './api.js' */
import { button, element } from '../shared/elements.js';
import { Problem, request } from './api.js';
import { announce, draw, emptyState } from './dom.js';
import { describeProblem } from './form.js';
import { askAgain, SIGNED_IN_AGAIN } from './sign-in.js';

/**
 * The parts that `main.js` passes to a screen: the page to fill, the path without the name of the screen, the
 * parameters, and a signal that aborts when the user leaves the screen.
 *
 * @typedef {{ page: HTMLElement, path: readonly string[], query: URLSearchParams, signal: AbortSignal }}
 *   Screen
 */

/**
 * Shows the response to a request in an element, or the reason why the request failed. The content that the
 * element has already stays until then.
 *
 * @param {object} options
 * @param {HTMLElement} options.place
 * @param {AbortSignal} options.signal - Stops the reader.
 * @param {() => Call} options.toCall
 * @param {(answer: Answer) => void} options.show
 * @param {((problem: Problem) => Child) | undefined} [options.explain] - The message for an expected
 *   problem.
 * @returns {() => Promise<void>} A function that reads again, and aborts a request in flight.
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
    } catch (error) {
      if (!(error instanceof Problem)) {
        return; // a newer request has replaced this one, or the user has left the screen
      }
      const words = explain?.(error);
      draw(place, words || createFailure(error, read));
      announce(words ? '' : error.message);
    }
    place.ariaBusy = 'false';
  }
}

/** The message while a part loads, with tally strokes that are drawn one by one. */
export function createLoading() {
  return element('p', { class: 'state loading' }, element('span', { class: 'tally' }), 'Loading…');
}

/**
 * @param {Problem} problem
 * @param {() => unknown} retry
 */
export function createFailure(problem, retry) {
  return problem.slug === 'unauthenticated'
    ? emptyState('You are signed out.', button('Sign in', askAgain, { class: 'primary' }))
    : element('div', { class: 'problem' }, describeProblem(problem), button('Try again', retry));
}
