import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS, REMOVED_COMMANDS } from '../src/extras/admin/commands.ts';
import { SCHEMA_VERSION } from '../src/stores/schema.ts';
import { routes } from './support/operations.ts';
import { manifest, read } from './support/project.ts';
import { RELEASED_VERSIONS } from './support/released-database.ts';

const changes = read('src/programs/CHANGES.md');

/** All releases, newest first. Each release lists its database schemas, oldest first. */
const releases = [...changes.matchAll(/^\| (\d+\.\d+\.\d+) \| ([\d or]+) \|/gm)]
  .map(([, version = '', schemas = '']) => ({ version, schemas: schemas.split(' or ').map(Number) }));

test('the first row of the releases is this program, with the schema of its file', () => {
  assert.deepEqual(releases[0], { version: manifest.version, schemas: [SCHEMA_VERSION] });
});

test('a release with a new schema has at least a new minor version', () => {
  assert.ok(releases.length > 1);
  releases.slice(1).forEach((older, index) => {
    const { version = '', schemas = [] } = releases[index] ?? {};
    const [minor, olderMinor] = [version, older.version].map((text) => text.replace(/\.\d+$/, ''));
    const isLater = minor?.localeCompare(olderMinor ?? '', 'en', { numeric: true }) === 1;
    assert.ok(schemas.at(-1) === older.schemas.at(-1) || isLater, `${version} after ${older.version}`);
  });
});

test('the schemas of earlier releases are those that this program upgrades', () => {
  assert.deepEqual(releases.slice(1).flatMap(({ schemas }) => schemas).toSorted(), RELEASED_VERSIONS);
});

test('each release but the first has its chapter, which begins with what to do before the upgrade', () => {
  for (const { version } of releases.slice(0, -1)) {
    assert.ok(changes.includes(`\n## ${version}\n\n### Before you upgrade\n`), version);
  }
});

test('routes and commands that the changes call removed are gone, and removed commands are named', () => {
  const [, removed = ''] = /\n### Removed\n([^]*)/.exec(changes) ?? [];
  const rows = [...removed.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = '']) => cell);
  const names = rows.flatMap((cell) => /`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/.exec(cell)?.[1] ?? []);
  assert.ok(names.length > 1);
  assert.deepEqual(names.filter((name) => routes.includes(name)), []);
  for (const name of Object.keys(REMOVED_COMMANDS)) {
    assert.ok(removed.includes(`\`${name}\``), name);
    assert.ok(!COMMANDS.some((command) => command.name === name), name);
  }
});
