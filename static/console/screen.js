/** The states that every part of a screen has: it loads, has failed, or needs the user to sign in. */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Call } from './api.js' */
import { button, element } from '../shared/elements.js';
import { Problem, request } from './api.js';
import { announce, draw, emptyState } from './dom.js';
import { describeProblem } from './form.js';
import { askAgain, SIGNED_IN_AGAIN } from './sign-in.js';

/**
 * As `main.js` opens it: the page to fill, the path without the name of the screen, and a signal that the
 * user has left.
 *
 * @typedef {{ page: HTMLElement, path: readonly string[], query: URLSearchParams, signal: AbortSignal }}
 *   Screen
 */

/**
 * Shows in a place the response to a request, or why there is none.
 *
 * @param {object} options
 * @param {HTMLElement} options.place
 * @param {AbortSignal} options.signal - Ends the reader.
 * @param {() => Call} options.toCall
 * @param {(answer: Answer) => void} options.show
 * @param {((problem: Problem) => Child) | undefined} [options.explain] - Words for a problem that was to be
 *   expected.
 * @returns {() => Promise<void>} Reads again; a request under way is given up.
 */
export function createReader({ place, signal, toCall, show, explain }) {
  let turn = new AbortController();
  signal.addEventListener('abort', () => turn.abort());
  document.addEventListener(SIGNED_IN_AGAIN, read, { signal });
  place.replaceChildren(createLoading());
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

/** Tally strokes, drawn one by one. */
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
