import { test } from 'node:test';
import { describeDriver } from '../database/contract.ts';
import { openTestDatabase, skipWithoutCluster } from '../support/database.ts';

if (skipWithoutCluster) {
  test('rqlite', { skip: skipWithoutCluster }, () => {});
} else {
  describeDriver('rqlite', openTestDatabase);
}
