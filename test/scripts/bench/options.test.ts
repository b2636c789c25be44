import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../../../scripts/bench/options.ts';

for (const [line, expected] of [
  ['', 'run'],
  ['--users 1000', 'run'],
  ['--users 999', 'wrong'],
  ['--users 5000000', 'run'],
  ['--users 5000001', 'wrong'],
  ['--users 1e3', 'wrong'],
  ['--seconds 0.1', 'run'],
  ['--seconds 0', 'wrong'],
  ['--rounds 1', 'run'],
  ['--rounds 1.5', 'wrong'],
  ['--workload greeting,user', 'run'],
  ['--workload greeting,', 'wrong'],
  ['--workload none', 'wrong'],
  ['--set LOG_LEVEL=error --set A=', 'run'],
  ['--set LOG_LEVEL', 'wrong'],
  ['--scale', 'run'],
  ['--help', 'help'],
  ['--unknown', 'wrong'],
  ['user', 'wrong'],
] as const) {
  test(`The arguments "${line}" are: ${expected}`, () => {
    assert.equal(parseOptions(line.split(' ').filter((word) => word !== '')).kind, expected);
  });
}
