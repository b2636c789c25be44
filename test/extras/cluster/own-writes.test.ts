import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnWrites } from '../../../src/extras/cluster/own-writes.ts';

test('Of writes one after the other only the last counts, and the tickets before it are not needed', () => {
  const writes = createOwnWrites();
  assert.deepEqual(writes.acknowledge({ ticket: 'a', hasCopies: false, sentAt: writes.now() }), []);
  assert.deepEqual(writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: writes.now() }), ['a']);
  assert.deepEqual(writes.latest(), ['b']);
});

test('Of writes at the same time both count, whichever is acknowledged first', () => {
  const writes = createOwnWrites();
  const [first, second] = [writes.now(), writes.now()];
  writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: second });
  writes.acknowledge({ ticket: 'a', hasCopies: false, sentAt: first });
  assert.deepEqual(writes.latest(), ['b', 'a']);
  assert.deepEqual(writes.acknowledge({ ticket: 'c', hasCopies: false, sentAt: writes.now() }), ['b', 'a']);
});

test('A write that was sent before another one was acknowledged does not follow it', () => {
  const writes = createOwnWrites();
  const slow = writes.now();
  writes.acknowledge({ ticket: 'a', hasCopies: false, sentAt: writes.now() });
  writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: writes.now() });
  writes.acknowledge({ ticket: 'slow', hasCopies: false, sentAt: slow });
  assert.deepEqual(writes.latest(), ['b', 'slow']);
});

test('The ticket of a write of which a copy may be on the way is never released', () => {
  const writes = createOwnWrites();
  writes.acknowledge({ ticket: 'a', hasCopies: true, sentAt: writes.now() });
  assert.deepEqual(writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: writes.now() }), []);
});
