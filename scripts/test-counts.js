/** A reporter for `node --test`: what its summary counts, as one JSON object. */

/**
 * @param {AsyncIterable<{ type: string, data: any }>} events
 * @returns {AsyncGenerator<string>}
 */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file === undefined) {
      const { tests, suites, passed, failed, cancelled, skipped, todo } = data.counts;
      const duration_ms = data.duration_ms;
      yield JSON.stringify({ tests, suites, pass: passed, fail: failed, cancelled, skipped, todo, duration_ms });
    }
  }
}
