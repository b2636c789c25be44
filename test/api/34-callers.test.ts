/** The callers of each operation, as the reference names them, compared with the answers of the service. */
import assert from 'node:assert/strict';
import { readApiDocument, type Part } from '../support/api-document.ts';
import { operations } from '../support/operations.ts';
import { BEHIND_PROXY, people, type World } from '../support/service.ts';

const { describeCallers } = await import(
  new URL('../../static/reference/callers.js', import.meta.url).href
);

/** `full` comes last, because with this scope some operations revoke all tokens of the caller. */
const SCOPES = ['set_password', 'identity', 'read_only', 'full'] as const;
const CALLERS = { user: 'ada', administrator: 'root' } as const;

/** Bodies of operations that look into the body before they look for rights. */
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
/** `verify` asks for the method of the client's request, which a proxy forwards. */
const FORWARDED = { 'X-Forwarded-Method': 'GET' };

function issue(world: World, name: 'ada' | 'root', scope: (typeof SCOPES)[number]): Promise<string> {
  return scope === 'set_password' ? world.makeLink(world.root, name) : world.issueScoped(world[name], scope);
}

for (const [id, { method, path, body }] of Object.entries(operations)) {
  people(`the reference says who may call ${method} ${path}`, BEHIND_PROXY, async (world) => {
    const { call } = world;
    const { paths } = readApiDocument((await call('GET /api/v1/openapi.json')).text);
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
    const anonymous = await call(line, options);
    assert.equal(anonymous.status === 401, access !== 'public');
    for (const [role, name] of Object.entries(CALLERS)) {
      for (const scope of SCOPES) {
        const answer = await call(line, { ...options, as: await issue(world, name, scope) });
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
