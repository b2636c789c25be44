/** The rules of a registration over HTTP, for the programs that take an account from elsewhere. */
import { normalizeText } from '../http/text.ts';
import type { Validate } from '../jsonschema/compile.ts';

/** Members of an account. */
export type AccountTexts = { readonly [Name in 'username' | 'password' | 'email']?: string };

/** Decoders write it in place of bytes that are not UTF-8. A password that has it could not be typed. */
const REPLACEMENT = '\ufffd';

/**
 * Normalises and checks members of an account. A name and a password that are accepted can sign in.
 *
 * @param validate - Checks the members.
 * @returns The members in normal form, and clauses such as `email must be an email address`.
 */
export function checkAccount<Account extends AccountTexts>(account: Account, validate: Validate) {
  const entries = Object.entries(account);
  const unusable = entries.filter(([, text]) =>
    text.includes(REPLACEMENT) || normalizeText(text) === undefined);
  if (unusable.length > 0) {
    const faults = unusable.map(([name]) => `${name} must be UTF-8, with at most 30 marks in a row`);
    return { normal: account, faults };
  }
  // Each member is still a text.
  const normal = Object.fromEntries(entries.map(([name, text]) => [name, text.normalize('NFC')])) as Account;
  const faults = validate(normal).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
  return { normal, faults };
}
