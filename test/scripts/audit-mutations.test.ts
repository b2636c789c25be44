import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { auditMutations } from '../../scripts/audit/mutations.ts';
import { each } from '../support/each.ts';

const NO_LIMIT = {
  file: 'src/auth/change-budget.ts', find: 'if (perHourMax === 0) {', replace: 'if (perHourMax > 0) {',
  test: 'auth/change-budget', title: 'a budget of 0 sets no limit',
};

const SKIP = {
  file: 'test/auth/change-budget.test.ts', find: "limit', (", replace: "limit', { skip: 'no browser' }, (",
};

async function audit({ file, find, replace, test: name, title }: typeof NO_LIMIT) {
  const lines: string[] = [];
  const row = { wants: 'spend', protection: '', mutations: [[file, find, replace, name, title]] } as const;
  const outcome = await auditMutations([row], (line) => lines.push(line));
  return { ...outcome, output: lines.join('\n') };
}

test('a mutation that the named test notices passes, and the working tree stays as it is', async () => {
  const before = readFileSync(NO_LIMIT.file, 'utf8');
  const { checks, failed, unchecked, output } = await audit(NO_LIMIT);
  assert.deepEqual([checks, failed, unchecked], [2, 0, 0], output);
  assert.match(output, /^✔ 2\/2 "spend": test\/auth\/change-budget\.test\.ts notices/m);
  assert.equal(readFileSync(NO_LIMIT.file, 'utf8'), before);
});

each('a mutation {0} does not pass', [
  ['whose text does not occur', { find: 'perHourMin' }, [1, 0], /Expected "perHourMin" once/],
  ['whose text occurs twice', { find: 'perHourMax' }, [1, 0], /Expected "perHourMax" once/],
  ['that the named test does not notice', { replace: 'if (0 === perHourMax) {' }, [1, 0], /does not fail/],
  ['that names a test which does not exist', { title: 'users share a budget' }, [2, 0], /none has such a/],
  ['whose named test is skipped', SKIP, [0, 1], /^– 2\/2 .*\n {4}not checked, .* skipped: no browser$/m],
], async ([, mistake, counts, message]) => {
  const { failed, unchecked, output } = await audit({ ...NO_LIMIT, ...mistake });
  assert.deepEqual([failed, unchecked], counts, output);
  assert.match(output, message);
});
