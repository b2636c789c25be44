import assert from 'node:assert/strict';
import { each } from '../../support/each.ts';
import { findContradictions, type Operation } from '../../support/register-history.ts';

each('A history is linearizable: {0}', [
  ['write 1, then read 1', [write(1, 0, 1), read(1, 2, 3)]],
  ['reads during a write', [write(1, 0, 1), write(2, 2, 9), read(1, 3, 4), read(2, 5, 6), read(2, 10, 11)]],
  ['a write whose acknowledgement was lost', [write(1, 0, 1), read(2, 2, 3, 'unknown'), write(3, 4, 5)]],
], ([, operations]) => assert.deepEqual(findContradictions(operations), []));

each('A history is not linearizable: {0}', [
  ['a read that misses a write', [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)], /version 1 began after/],
  ['a read that is older than another', [write(2, 0, 9), read(2, 1, 2), read(1, 3, 4)], /after version 2/],
  ['two writes of one version', [write(1, 0, 1), write(1, 0, 2, 'other')], /written twice/],
  ['a write that is lost', [write(1, 0, 1), write(1, 2, 3, 'other')], /write of version 1 began after/],
  ['a version that is read before it is written', [read(1, 0, 1), write(1, 2, 3)], /before its write began/],
  ['a version that changes', [read(1, 0, 1, 'a'), read(1, 2, 3, 'b')], /two writers/],
], ([, operations, fault]) => {
  assert.match(findContradictions(operations).join(), fault);
});

function read(version: number, beganAt: number, endedAt: number, writer = `writer of ${version}`): Operation {
  return { kind: 'read', version, writer, beganAt, endedAt };
}

function write(version: number, beganAt: number, endedAt: number, writer?: string): Operation {
  return { ...read(version, beganAt, endedAt, writer), kind: 'write' };
}
