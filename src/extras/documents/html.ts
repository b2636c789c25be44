/**
 * HTML from templates that escape. A value may stand where text stands, or in an attribute in double quotes.
 * No value may stand in the name of an element or an attribute, in an unquoted attribute, in a script or in a
 * style, which all have other rules.
 */

/** The key of markup. It is not exported, so only `html` makes markup, and parsed JSON never counts as it. */
const MARKUP = Symbol('markup');

/** HTML that needs no further escaping. */
export interface Markup {
  readonly [MARKUP]: string;
}

type Value = string | number | Markup | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;',
};

/**
 * The tag of a template literal. The text of the literal and values made by `html` are markup; all other
 * values are text.
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
  // A value of any other kind has no `map`, and throws.
  return MARKUP in value ? value[MARKUP] : value.map(toHtml).join('');
}
