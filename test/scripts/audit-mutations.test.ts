import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { auditMutations } from '../../scripts/audit/mutations.ts';
import { each } from '../support/each.ts';

const NO_LIMIT = {
  file: 'src/auth/change-budget.ts', find: 'if (perHourMax === 0) {', replace: 'if (perHourMax > 0) {',
  test: 'auth/change-budget', title: 'a budget of 0 sets no limit',
};

async function audit({ file, find, replace, test: name, title }: typeof NO_LIMIT) {
  const lines: string[] = [];
  const mutations = [[file, find, replace, name, title]] as const;
  const outcome = await auditMutations(
    [{ wants: 'change too much', protection: '', mutations }], (line) => lines.push(line),
  );
  return { ...outcome, output: lines.join('\n') };
}

test('a mutation that the named test notices passes, and the working tree stays as it is', async () => {
  const before = readFileSync(NO_LIMIT.file, 'utf8');
  const { checks, failed, output } = await audit(NO_LIMIT);
  assert.deepEqual([checks, failed], [2, 0], output);
  assert.match(output, /^✔ 2\/2 "change too much": test\/auth\/change-budget\.test\.ts notices/m);
  assert.equal(readFileSync(NO_LIMIT.file, 'utf8'), before);
});

each('a mutation {0} is a fault', [
  ['whose text does not occur', { find: 'perHourMin' }, 1, /Expected "perHourMin" once/],
  ['whose text occurs twice', { find: 'perHourMax' }, 1, /Expected "perHourMax" once/],
  ['that the named test does not notice', { replace: 'if (0 === perHourMax) {' }, 1, /does not fail after/],
  ['that names a test which does not exist', { title: 'users share a budget' }, 2, /none has such a title/],
], async ([, mistake, failing, message]) => {
  const { failed, output } = await audit({ ...NO_LIMIT, ...mistake });
  assert.equal(failed, failing, output);
  assert.match(output, message);
});
