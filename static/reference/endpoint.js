/** Methods and paths, as menu and pages show them. */
import { element } from './dom.js';

/** @param {string} method */
export function toMethod(method) {
  return element('b', { class: `method ${method.toLowerCase()}` }, method);
}

/** @param {string} path @returns {(Node | string)[]} Lines may break after each slash. */
export function toBreakable(path) {
  return path.split(/(?<=\/)(?=.)/).flatMap((segment) => [segment, element('wbr')]);
}
