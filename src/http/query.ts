/**
 * Query parameters in the form that HTML forms and curl send (URL Standard,
 * application/x-www-form-urlencoded): pairs joined by `&`, `+` for a space, percent-encoded UTF-8. Unlike the
 * standard's parser, which guesses, this one refuses text that is not well-formed.
 */
import { normalizeText } from './text.ts';

/** All values of each parameter, in the order received. */
export type Query = ReadonlyMap<string, readonly string[]>;

const NO_PARAMETERS: Query = new Map();

/** @param text - Without the leading `?`. @returns `undefined` when an escape is malformed or not UTF-8. */
export function parseQuery(text: string): Query | undefined {
  if (text === '') {
    return NO_PARAMETERS;
  }
  const query = new Map<string, string[]>();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const equals = pair.indexOf('=');
    const name = decodeFormText(equals === -1 ? pair : pair.slice(0, equals));
    const value = decodeFormText(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) {
      return undefined;
    }
    const values = query.get(name);
    if (values === undefined) {
      query.set(name, [value]);
    } else {
      values.push(value);
    }
  }
  return query;
}

function decodeFormText(text: string): string | undefined {
  return decodePercent(text.replaceAll('+', ' '));
}

/** Text that decoding and NFC do not change. */
const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;

/** Decodes percent-encoded UTF-8 once. @returns Text in NFC, or `undefined` when it is malformed. */
export function decodePercent(text: string): string | undefined {
  if (PLAIN.test(text)) {
    return text; // most text, and much cheaper
  }
  try {
    return normalizeText(decodeURIComponent(text));
  } catch {
    return undefined; // decodeURIComponent throws for malformed escapes, and for nothing else
  }
}
