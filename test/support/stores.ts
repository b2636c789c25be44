import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { toListRequest } from '../../src/api/parameters.ts';
import type { Statement } from '../../src/database/database.ts';
import { toProgramOrigin, type Origin } from '../../src/model/audit.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { Token } from '../../src/model/token.ts';
import type { PasswordHash, User } from '../../src/model/user.ts';
import type { JsonPage } from '../../src/stores/list.ts';
import { createProjectStore } from '../../src/stores/projects.ts';
import { createSchema } from '../../src/stores/schema.ts';
import { createTokenStore, type TokenStore } from '../../src/stores/tokens.ts';
import { createUserChanges } from '../../src/stores/user-changes.ts';
import { createUserStore, type UserStore } from '../../src/stores/users.ts';
import { openTestDatabase } from './database.ts';
import { withEach } from './each.ts';
import { sql } from './sql.ts';

export const NOW = toTimestamp(0);

export const ORIGIN = toProgramOrigin(() => 0);

const QUOTAS = { projectsPerUserMax: 10_000, tokensPerUserMax: 1_000 };

export const HASH = 'hash' as PasswordHash;

export const FIRST_PAGE = toListRequest({});

type NewToken = Parameters<TokenStore['insert']>[0];

export type Stores = Awaited<ReturnType<typeof openStores>>;
export type World = Stores & Readonly<Record<'ann' | 'bob', User>>;

export const withStores = withEach<World>((title, check, limits) => void test(title, async (t) => {
  const stores = await openStores(t, limits);
  await check({ ...stores, ann: await stores.addUser('ann'), bob: await stores.addUser('bob') }, t);
}));

export async function openStores(context: TestContext, limits: Partial<typeof QUOTAS> = {}) {
  const quotas = { ...QUOTAS, ...limits };
  const database = await openTestDatabase(context);
  await createSchema(database);
  const users = createUserStore(database);
  const projects = createProjectStore(database, quotas.projectsPerUserMax);
  const tokens = createTokenStore(database, quotas.tokensPerUserMax);
  const stores = {
    database, users, projects, tokens,
    changes: createUserChanges(database, quotas.projectsPerUserMax),
    async addUser(username: string, given: Partial<Parameters<UserStore['insert']>[0]> = {}): Promise<User> {
      const email = `${username}@example.org`;
      const user = { username, email, passwordHash: HASH, isAdmin: false, ...given };
      const outcome = await users.insert(user, ORIGIN);
      assert(outcome.kind === 'changed');
      return outcome.result;
    },
    insertProject: (name: string, owner: Pick<User, 'id'>, description = '') =>
      projects.insert({ name, description, owner }, ORIGIN),
    async addProject(name: string, owner: User, description = ''): Promise<void> {
      assert.equal((await stores.insertProject(name, owner, description)).kind, 'changed');
    },
    /** The token has all rights unless `given` names a scope. */
    insertToken({ id: userId }: User, given: Partial<NewToken> = {}, origin: Origin = ORIGIN) {
      const token = { userId, name: '', scope: 'full', audience: undefined, lifetimeSeconds: 1 } as const;
      return tokens.insert({ ...token, ...given }, origin);
    },
    async addToken(owner: User, given: Partial<NewToken> = {}): Promise<Token> {
      const outcome = await stores.insertToken(owner, given);
      assert(outcome.kind === 'changed');
      return outcome.result;
    },
  };
  return stores;
}

/** The events are about users, and have no details. */
export function insertEvents(count: number, at: string): Statement {
  return sql(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
    INSERT INTO audit_events
      (occurred_at, action, resource_type, resource_name, details, sign_in, request_id, address)
    SELECT ?, 'user.update', 'user', '', '', 'none', '', '' FROM numbers`, count, at);
}

/** @returns `changed`, or the reason of the refusal. */
export function wordOf(
  outcome: { readonly kind: 'changed' } | { readonly kind: 'refused'; readonly reason: string },
): string {
  return outcome.kind === 'changed' ? 'changed' : outcome.reason;
}

/** The stores return items as JSON text. */
export async function readItems({ items }: Pick<JsonPage, 'items'>): Promise<readonly any[]> {
  return JSON.parse(`[${items}]`);
}
