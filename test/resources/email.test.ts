import assert from 'node:assert/strict';
import { compileSchema } from '../../src/jsonschema/compile.ts';
import { newEmail } from '../../src/resources/rules.ts';
import { each } from '../support/each.ts';

const local64 = 'a'.repeat(64);
const domain189 = [63, 63, 61].map((length) => 'a'.repeat(length)).join('.');
const validate = compileSchema(newEmail.json);

each('The email address "{0}" is accepted', [
  'a@b', 'first.last+tag@sub.example.com', "!#$%&'*+-/=?^_`{|}~@example.com", `${local64}@${domain189}`,
], (email) => assert.deepEqual(validate(email), []));

each('The email address "{0}" is refused', [
  '', '@', 'a', 'a@', '@b', 'a@b@c', '.a@b', 'a.@b', 'a..b@c', 'a b@c', 'a@b c', 'a@-b', 'a@b.', 'a@b_c',
  'a,b@c', 'a@b, c@d', 'A <a@b>', '"a b"@c', 'a@[127.0.0.1]', 'é@example.com', 'a@exämple.com', 'a@b\n',
  `a${local64}@b`, `${local64}@${domain189}a`,
], (email) => assert.equal(validate(email).length, 1));
