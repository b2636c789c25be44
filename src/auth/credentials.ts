/** Reads the credentials in an `Authorization` field, and does not check whether they are right. */
import { isUtf8 } from 'node:buffer';
import { normalizeText } from '../http/text.ts';
import { parseToken } from '../model/token.ts';

type Credentials =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  /** `username`: the name next to a token that takes the place of the password. */
  | { readonly kind: 'token'; readonly token: string; readonly username?: string };

/** Matches a scheme, spaces and a `token68` (RFC 9110 §11.2). Scheme names ignore case (§11.1). */
const FIELD = /^(basic|bearer) +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Reads HTTP Basic (RFC 7617) with a username and a password, HTTP Basic with a token in place of the
 * username or the password, and Bearer tokens (RFC 6750 §2.1).
 *
 * @param field - The value of the `Authorization` field. A missing field is treated like a malformed field.
 */
export function parseCredentials(field = ''): Credentials {
  const [, scheme = '', token68 = ''] = FIELD.exec(field) ?? [];
  return scheme.toLowerCase() === 'bearer' ? { kind: 'token', token: token68 } : parseBasic(token68);
}

/**
 * Splits `username:password` at the first colon, because a username contains none (RFC 7617 §2). A username
 * without a password is a token. A username with the form and checksum of a token is a token, whatever the
 * password: libraries and `curl -u` send a password with every username. A password with the form and
 * checksum of a token is a token of the named user: git, container registries and calendars ask for a name
 * and a password. Web servers log usernames, so a token is safer in the place of the password.
 */
function parseBasic(token68: string): Credentials {
  const text = decodeBase64(token68) ?? '';
  const colon = text.indexOf(':');
  const [username, password] = colon === -1 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  if (username === '') {
    return { kind: 'malformed' };
  }
  if (password === '' || parseToken(username) !== undefined) {
    return { kind: 'token', token: username };
  }
  const token = [password, decodePercent(password)].find((form) => parseToken(form) !== undefined);
  return token === undefined
    ? { kind: 'password', username, password }
    : { kind: 'token', token, username: decodePercent(username) };
}

/** OAuth clients percent-encode both parts (RFC 6749 §2.3.1). No token and no username has a percent sign. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}

/**
 * Decodes UTF-8, which the challenge announces (RFC 7617 §2.1). Other bytes are read as Latin-1, which `btoa`
 * in browsers produces. The result is in NFC, like all stored text.
 */
function decodeBase64(token68: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+=*$/.test(token68)) {
    return undefined; // `token68` allows more characters than base64 has
  }
  const bytes = Buffer.from(token68, 'base64');
  return normalizeText(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'));
}
