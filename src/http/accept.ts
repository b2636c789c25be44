/**
 * Tells browsers from programs by the `Accept` field (RFC 9110 §12.5.1), to answer with a page or with JSON.
 *
 * The default is JSON. Only a client that gives `text/html` more weight than JSON gets a page.
 * Where the RFC leaves the choice to the server:
 * - Equal weights are JSON: programs send `text/html` and any type side by side, without weights.
 * - A malformed field means JSON. Java's `HttpURLConnection` sends such a field by default.
 * - A range with parameters is ignored, because no form here has parameters. Of two weights the last counts.
 */

const NAME = "[!#$&^_.+0-9a-z-]+"; // of types (RFC 6838 §4.2), which excludes the wildcard
const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";
const MEDIA_RANGE = new RegExp(`^(?:\\*/\\*|${NAME}/(?:\\*|${NAME}))$`);
const PARAMETER = new RegExp(`^${TOKEN}=(?:${TOKEN}|"[^"\\\\]*")$`);
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** @param accept - The field as received; absent when the request has none. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/html/i.test(accept)) {
    return false; // the fast path: nearly every program
  }
  const weights = parseWeights(accept.toLowerCase());
  const weightOf = (...ranges: readonly string[]): number =>
    ranges.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0;
  const json = weightOf('application/json', 'application/*', '*/*');
  const problem = weightOf('application/problem+json', 'application/*', '*/*');
  return weightOf('text/html') > Math.max(json, problem);
}

/** @returns The weight of each range without parameters; none for a malformed field. */
function parseWeights(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of accept.split(',').map((text) => text.trim()).filter((text) => text !== '')) {
    const [range = '', ...parameters] = element.split(';').map((text) => text.trim());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = WEIGHT.exec(given ?? 'q=1')?.[1];
    const others = parameters.filter((parameter) => parameter !== given);
    if (!MEDIA_RANGE.test(range) || weight === undefined || !others.every((text) => PARAMETER.test(text))) {
      return new Map();
    }
    if (others.length === 0) {
      weights.set(range, Number(weight));
    }
  }
  return weights;
}
