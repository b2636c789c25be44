import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatedPages } from './support/generated-pages.ts';
import { read } from './support/project.ts';

for (const [file, write] of Object.entries(generatedPages)) {
  test(`${file} is what "npm run docs" writes`, () => {
    assert.equal(read(file), write(read(file)), 'run "npm run docs"');
  });
}
