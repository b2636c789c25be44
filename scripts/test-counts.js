/** A reporter for `node --test`: writes the numbers of its summary as one JSON object. */

/**
 * @param {AsyncIterable<{ type: string, data: any }>} events
 * @returns {AsyncGenerator<string>}
 */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file === undefined) {
      const { duration_ms, counts } = data;
      const { tests, suites, passed: pass, failed: fail, cancelled, skipped, todo } = counts;
      yield JSON.stringify({ tests, suites, pass, fail, cancelled, skipped, todo, duration_ms });
    }
  }
}
