/**
 * HTML from templates that escape. A value stands where text stands, or in an attribute in double quotes;
 * never in the name of an element or an attribute, in an unquoted attribute, in a script or in a style,
 * which have other rules.
 */

/** The key is not exported, so nothing but `html` makes markup: least of all JSON. */
const MARKUP = Symbol('markup');

/** HTML as it is sent. */
export interface Markup {
  readonly [MARKUP]: string;
}

type Value = string | number | Markup | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;',
};

/**
 * A template literal: its own text is markup, and so are values that it has made; all other values are text.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { [MARKUP]: String.raw({ raw: literals }, ...values.map(toHtml)) };
}

/** @returns A whole page. */
export function toPage(markup: Markup): string {
  return `<!DOCTYPE html>\n${markup[MARKUP]}`;
}

function toHtml(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  }
  // Anything else has no `map`, and throws.
  return MARKUP in value ? value[MARKUP] : value.map(toHtml).join('');
}
