/** The callers of each operation, as the reference names them, compared with the answers of the service. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { readApiDocument, type Part } from '../support/api-document.ts';
import { operations } from '../support/operations.ts';
import { basic, startService } from '../support/service.ts';

const { describeCallers } = await import(
  new URL('../../static/reference/callers.js', import.meta.url).href
);

/** `full` comes last, because with this scope some operations revoke all tokens of the caller. */
const SCOPES = ['set_password', 'identity', 'read_only', 'full'] as const;
const ROLES = ['user', 'administrator'] as const;

/** Bodies of operations that look into the body before they look for rights. */
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
/** `verify` asks for the method of the client's request, which a proxy forwards. */
const FORWARDED = { 'X-Forwarded-Method': 'GET' };

async function startWithTokens(t: TestContext) {
  const service = await startService(t, { trustedProxies: parseTrustedProxies('127.0.0.1') });
  const passwords = {
    user: await service.register('ada'), administrator: await service.registerAdministrator('root'),
  };
  async function issue(role: (typeof ROLES)[number], scope: (typeof SCOPES)[number]): Promise<string> {
    if (scope === 'set_password') {
      const name = role === 'user' ? 'ada' : 'root';
      const line = `POST /api/v1/users/${name}/password_link`;
      const { json } = await service.call(line, { as: basic('root', 'root-password') });
      return `Bearer ${json['link'].split('/').at(-1)}`;
    }
    const { json } = await service.call('POST /api/v1/tokens', { as: passwords[role], json: { scope } });
    return `Bearer ${json['token']}`;
  }
  return { service, issue };
}

for (const [id, { method, path, body }] of Object.entries(operations)) {
  test(`the reference says who may call ${method} ${path}`, async (t) => {
    const { service, issue } = await startWithTokens(t);
    const { paths } = readApiDocument((await service.call('GET /api/v1/openapi.json')).text);
    const described: Part = paths[path]?.[method.toLowerCase()] ?? {};
    if (id === 'reportMetrics') {
      return assert.equal(described['x-access'], undefined); // there is none while `METRICS` is off
    }
    const { 'x-access': access, 'x-scopes': scopes } = described;
    const line = `${method} ${path.replace('{filename}', 'icon.svg').replaceAll(/\{\w+\}/g, 'nobody')}`;
    const options = body?.content?.mediaType.includes('form')
      ? { body: 'token=x', headers: FORM }
      : { headers: FORWARDED, ...(body && { json: {} }) };
    assert.doesNotMatch(described['description'], /Only an administrator may do this/);
    const sentence = describeCallers({ access, scopes }, SCOPES);
    const anonymous = await service.call(line, options);
    assert.equal(anonymous.status === 401, access !== 'public');
    for (const role of ROLES) {
      for (const scope of SCOPES) {
        const answer = await service.call(line, { ...options, as: await issue(role, scope) });
        const text = answer.status === 403 ? answer.text : '';
        const title = `${role}, ${scope}: ${answer.status} ${text}`;
        const isRefused = text.includes(`A token of the scope \\"${scope}\\" cannot do this`);
        assert.equal(isRefused, sentence.includes(`\`${scope}\``), title);
        const isForOthers = text.includes('"Only an administrator may do this"');
        const isExpected = !isRefused && role === 'user' && sentence.startsWith('Only administrators');
        assert.equal(isForOthers, isExpected, title);
      }
    }
  });
}
