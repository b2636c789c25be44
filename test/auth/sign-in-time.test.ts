/** Tests that the CPU time of a refused sign-in does not reveal whether the user exists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, startService, type TestService } from '../support/service.ts';

/** One tenth of the real cost of a password check, so that ninety checks take about a second. */
const COST = { logN: 13, r: 8, p: 1 };
const TRIES = 30;
/** Other processes can disturb a round of measurements, but a real difference appears in every round. */
const ROUNDS_MAX = 5;

test('Sign-ins of unknown, known and disabled users differ by at most 10 % in processor time', async (t) => {
  const limits = { failuresPerNameMax: 1_000, failuresPerNetworkMax: 1_000, scrypt: COST };
  const service = await startService(t, limits);
  const root = await service.registerAdministrator('root');
  await service.register('known');
  await service.register('disabled');
  await service.expect(200, 'PATCH /api/v1/users/disabled', { as: root, json: { disabled: true } });
  const ratios: number[] = [];
  while (ratios.every((ratio) => ratio > 1.1) && ratios.length < ROUNDS_MAX) {
    ratios.push(await measure(service, ratios.length));
  }
  assert.ok(ratios.some((ratio) => ratio <= 1.1), ratios.join(' '));
});

/** @returns The ratio of the largest to the smallest median CPU time. */
async function measure(service: TestService, round: number): Promise<number> {
  const microseconds: Record<string, number[]> = { unknown: [], known: [], disabled: [] };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    for (const [username, taken] of Object.entries(microseconds)) {
      const before = process.cpuUsage();
      await service.expect(401, 'GET /api/v1/user', { as: basic(username, `wrong ${round} ${attempt}`) });
      const { user, system } = process.cpuUsage(before);
      taken.push(user + system);
    }
  }
  const medians = Object.values(microseconds)
    .map((taken) => taken.toSorted((a, b) => a - b)[TRIES / 2] ?? NaN);
  return Math.max(...medians) / Math.min(...medians);
}
