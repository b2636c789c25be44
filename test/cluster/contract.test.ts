/** The driver for a cluster does what every driver must do. */
import { test } from 'node:test';
import { describeDriver } from '../database/contract.ts';
import { openTestDatabase, skipWithoutCluster } from '../support/database.ts';

if (skipWithoutCluster) {
  test('rqlite', { skip: skipWithoutCluster }, () => {});
} else {
  describeDriver('rqlite', openTestDatabase);
}
