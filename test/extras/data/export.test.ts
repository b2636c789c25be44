/** The lines of an export, one by one; the programs are tested in test/programs/data-commands.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTransferLine } from '../../../src/extras/data/export.ts';
import { TOKEN_SCOPES } from '../../../src/model/token.ts';

const TOKEN = {
  id: 1, digest: 'ab', user_id: 1, name: '', last_four: 'wxyz', scope: 'full',
  date_created: '2026-01-01T00:00:00.000Z', expires_at: '2026-01-02T00:00:00.000Z', last_used: null,
  revoked_at: null, parent_id: null,
};

const parseToken = (change: object) =>
  parseTransferLine(JSON.stringify({ table: 'tokens', record: { ...TOKEN, ...change } }));

for (const scope of TOKEN_SCOPES) {
  test(`a token of the scope ${scope} can be imported`, () => {
    assert.deepEqual(parseToken({ scope }), { kind: 'record', table: 'tokens', record: { ...TOKEN, scope } });
  });
}

for (const scope of ['FULL', 'full ', '', 'everything', null, 7, ['full'], undefined]) {
  test(`a token of the scope ${JSON.stringify(scope)} cannot be imported`, () => {
    const line = parseToken({ scope });
    assert.equal(line.kind, 'wrong');
    assert.match(line.kind === 'wrong' ? line.reason : '', scope === undefined
      ? /^\/record\/scope is required$/
      : /^\/record\/scope must be one of "full", "read_only", "identity", "set_password"$/);
  });
}
