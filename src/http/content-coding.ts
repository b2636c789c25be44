/**
 * Encodes content, and chooses a content coding for a client.
 *
 * Implements the negotiation by `Accept-Encoding` of RFC 9110 §12.5.3 for the codings `br` (RFC 7932) and
 * `gzip` (RFC 1952). Leaves out `deflate`, which clients interpret differently, and `compress` and `zstd`,
 * whose clients accept `br` or `gzip` as well.
 *
 * Where the RFC leaves the choice to the server:
 * - Without the field, or with an empty one, the response is not coded.
 * - Among codings of equal weight the smaller result wins: `br`, then `gzip`, then no coding.
 * - A client that accepts no available coding (`identity;q=0`) still gets the uncoded content, which is more
 *   useful than an error.
 * - An element with a malformed weight is ignored. Of two weights for one coding, the last counts.
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** `identity` is content as it is; `Content-Encoding` never names it (RFC 9110 §12.5.3). */
export type ContentCoding = 'br' | 'gzip' | 'identity';

interface CodedContent {
  readonly coding: ContentCoding;
  readonly body: Buffer;
}

/** Content larger than this is not coded, to keep start-up fast. */
const CODED_SIZE_BYTES_MAX = 1024 * 1024;

/**
 * The quality of Brotli, of at most 11. Quality 11 compresses 170 kB of JSON to 13.9 kB instead of 15.3 kB,
 * but takes a hundred times as long at each start.
 */
const BROTLI_QUALITY = 7;

/**
 * Encodes content. Call it at start-up, never for a request. It blocks on purpose: each thread of the pool
 * would keep the memory of its compressor for good, 30 MB together, and the start would be no faster.
 *
 * @returns The results that are smaller than the content, `br` before `gzip`; possibly none.
 */
export function encodeContent(content: Buffer): readonly CodedContent[] {
  if (content.length > CODED_SIZE_BYTES_MAX) {
    return [];
  }
  const br = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  const gzip = gzipSync(content, { level: 9 });
  const coded = [{ coding: 'br', body: br }, { coding: 'gzip', body: gzip }] as const;
  return coded.filter(({ body }) => body.length < content.length);
}

/**
 * Chooses the coding that a client prefers.
 *
 * @param acceptEncoding - The field as received; absent when the request has none.
 * @param available - The codings the content exists in, the preferred one first.
 * @returns One of `available`, or `identity` for the content as it is.
 */
export function chooseCoding(
  acceptEncoding: string | undefined,
  available: readonly ContentCoding[],
): ContentCoding {
  const weights = parseWeights(acceptEncoding ?? '');
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const accepted = [...available, 'identity' as const].filter((coding) => weightOf(coding) > 0);
  // The sort is stable, so equal weights keep our own order.
  return accepted.sort((left, right) => weightOf(right) - weightOf(left))[0] ?? 'identity';
}

/** A coding and its weight: from 0 to 1 with at most three decimals (RFC 9110 §12.4.2). */
const WEIGHTED_CODING = /^([^\s;]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

function parseWeights(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(',')) {
    const [, coding, weight = '1'] = WEIGHTED_CODING.exec(element.trim()) ?? [];
    if (coding !== undefined) {
      // `x-gzip` is an old name of the same coding (RFC 9110 §8.4.1.3).
      weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
    }
  }
  return weights;
}
