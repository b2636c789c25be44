import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnWrites } from '../../../src/extras/cluster/own-writes.ts';

test('After sequential writes only the last ticket is needed, and earlier tickets are released', () => {
  const writes = createOwnWrites();
  assert.deepEqual(writes.acknowledge({ ticket: 'a', hasCopies: false, sentAt: writes.now() }), []);
  assert.deepEqual(writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: writes.now() }), ['a']);
  assert.deepEqual(writes.latest(), ['b']);
});

test('After concurrent writes both tickets are needed, in either order of acknowledgement', () => {
  const writes = createOwnWrites();
  const [first, second] = [writes.now(), writes.now()];
  writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: second });
  writes.acknowledge({ ticket: 'a', hasCopies: false, sentAt: first });
  assert.deepEqual(writes.latest(), ['b', 'a']);
  assert.deepEqual(writes.acknowledge({ ticket: 'c', hasCopies: false, sentAt: writes.now() }), ['b', 'a']);
});

test('A write sent before another was acknowledged does not count as later', () => {
  const writes = createOwnWrites();
  const slow = writes.now();
  writes.acknowledge({ ticket: 'a', hasCopies: false, sentAt: writes.now() });
  writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: writes.now() });
  writes.acknowledge({ ticket: 'slow', hasCopies: false, sentAt: slow });
  assert.deepEqual(writes.latest(), ['b', 'slow']);
});

test('The ticket of a write is never released while a copy may be in flight', () => {
  const writes = createOwnWrites();
  writes.acknowledge({ ticket: 'a', hasCopies: true, sentAt: writes.now() });
  assert.deepEqual(writes.acknowledge({ ticket: 'b', hasCopies: false, sentAt: writes.now() }), []);
});
