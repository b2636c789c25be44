/** Parses the `Authorization` field: HTTP Basic (RFC 7617) and Bearer (RFC 6750 §2.1). */
import { isUtf8 } from 'node:buffer';
import { decodePercent, normalizeText } from '../http/text.ts';
import { parseToken } from '../model/token.ts';

type Credentials =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  /** The token is empty if the field is malformed. */
  | { readonly kind: 'token'; readonly token: string; readonly username?: string };

/** Matches a scheme in upper or lower case (RFC 9110 §11.1), and then base64 or a `token68` (§11.2). */
const FIELD = /^(?:basic +([A-Za-z0-9+/]+=*)|bearer +([A-Za-z0-9\-._~+/]+=*))$/i;

export function parseCredentials(field = ''): Credentials {
  const [, base64 = '', token] = FIELD.exec(field) ?? [];
  return token === undefined ? parseBasic(base64) : { kind: 'token', token };
}

/**
 * A username contains no colon (RFC 7617 §2). Programs such as `curl` and git always send a username and a
 * password, so the service accepts a token as the username or as the password. A token is safer as the
 * password than as the username, because web servers log usernames.
 */
function parseBasic(base64: string): Credentials {
  const bytes = Buffer.from(base64, 'base64');
  // The credentials are UTF-8 (RFC 7617 §2.1), or Latin-1 if a script has used `btoa`.
  const text = normalizeText(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')) ?? '';
  const colon = text.indexOf(':');
  const [username, password] = colon === -1 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  // No user has an empty name or an empty password.
  if (username === '' || password === '' || parseToken(username) !== undefined) {
    return { kind: 'token', token: username };
  }
  const token = [password, decodeOAuth(password)].find((form) => parseToken(form) !== undefined);
  return token === undefined
    ? { kind: 'password', username, password }
    : { kind: 'token', token, username: decodeOAuth(username) };
}

/** OAuth clients percent-encode the name and the password (RFC 6749 §2.3.1). */
const decodeOAuth = (text: string): string => decodePercent([text])?.[0] ?? text;
