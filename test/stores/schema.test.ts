/** The tables, and the version that says which tables a database has. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { schema } from '../../src/stores/schema.ts';

/** When the tables change, raise the version, and put the new digest here. */
const DIGESTS: Readonly<Record<number, string>> = {
  2: '28e21108371bd78ffd69a7a15bbc0a23f6541e34140b4bc44bf2cac2d3cb3961',
};

test('The tables are those of their version, so a database with others is refused at the start', () => {
  const digest = createHash('sha256').update(schema.statements.join('\n')).digest('hex');
  assert.equal(digest, DIGESTS[schema.version]);
});
