/**
 * Selects the part of a file that a `Range` field requests.
 *
 * Implements single byte ranges (RFC 9110 §14.1.2, §14.2). Leaves out `multipart/byteranges`: several ranges
 * get the whole file, as §14.2 permits, so a request with thousands of overlapping ranges (CVE-2011-3192)
 * costs no more than one without.
 *
 * Anything but exactly one well-formed byte range is ignored, as if the field were absent.
 */

type RangeSelection =
  /** No usable range: send everything with 200. */
  | { readonly kind: 'whole' }
  /** Send the bytes from `first` to `last`, both included, with 206. */
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  /** A range that selects no byte: 416. */
  | { readonly kind: 'unsatisfiable' };

/** Either position may be missing, but not both; unit names ignore case (RFC 9110 §14.1). */
const SINGLE_BYTE_RANGE = /^bytes=(?!-$)(\d*)-(\d*)$/i;

/**
 * Selects the part of a representation that a request asks for.
 *
 * Call it for GET only: other methods have no ranges (RFC 9110 §14.2).
 *
 * @param header - The `Range` field; absent when the request has none.
 * @param sizeBytes - Length of the representation, from 0.
 * @returns Positions within the representation: 0 ≤ first ≤ last < sizeBytes.
 */
export function selectRange(header: string | undefined, sizeBytes: number): RangeSelection {
  const match = SINGLE_BYTE_RANGE.exec(header ?? '');
  if (match === null) {
    return { kind: 'whole' };
  }
  const [, first = '', last = ''] = match;
  // Positions of any length are safe as numbers: rounding keeps their order, and positions too large
  // to be exact (or even finite) are far past the end of any file.
  if (first === '') {
    return selectSuffix({ lengthBytes: Number(last), sizeBytes });
  }
  const interval = { first: Number(first), last: last === '' ? Infinity : Number(last) };
  return selectInterval(interval, sizeBytes);
}

/** `bytes=-5` selects the last 5 bytes, or all bytes when the representation is shorter. */
function selectSuffix(suffix: { lengthBytes: number; sizeBytes: number }): RangeSelection {
  const { lengthBytes, sizeBytes } = suffix;
  if (lengthBytes === 0) {
    return { kind: 'unsatisfiable' };
  }
  if (sizeBytes === 0) {
    // The part would be empty, and `Content-Range` cannot express an empty part.
    return { kind: 'whole' };
  }
  return { kind: 'part', first: Math.max(0, sizeBytes - lengthBytes), last: sizeBytes - 1 };
}

/** Selects `bytes=5-9` or `bytes=5-`. A part that ends beyond the representation is cut at its end. */
function selectInterval(
  { first, last }: { first: number; last: number },
  sizeBytes: number,
): RangeSelection {
  if (last < first) {
    return { kind: 'whole' };
  }
  if (first >= sizeBytes) {
    return { kind: 'unsatisfiable' };
  }
  return { kind: 'part', first, last: Math.min(last, sizeBytes - 1) };
}
