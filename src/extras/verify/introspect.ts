/**
 * `/api/v1/introspect` tells a program whether a token is valid, and who owns the token (RFC 7662). Every
 * signed-in user can ask about any token. Attackers who guess tokens (RFC 7662 §4) gain no advantage here,
 * because they can also test each guess by signing in.
 */
import { isUtf8 } from 'node:buffer';
import { acceptMembers, DEFAULT_BODY_BYTES_MAX, type BodyRule } from '../../api/body.ts';
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/problems.ts';
import { jsonReply } from '../../api/replies.ts';
import { parseQuery } from '../../http/router.ts';
import { object, optional, text, type ValueOf } from '../../jsonschema/schema.ts';
import type { Timestamp } from '../../model/clock.ts';
import { parseToken, type Token } from '../../model/token.ts';
import type { User } from '../../model/user.ts';

const fields = object({ token: text({ minLength: 1 }), token_type_hint: optional(text()) });
const acceptFields = acceptMembers(fields);

/**
 * The body must be a form. A repeated parameter is refused (RFC 6749 §3.1), because two programs could read
 * different values. Refusals quote no values, because a value can be a secret.
 */
const form: BodyRule<ValueOf<typeof fields>> = {
  bytesMax: DEFAULT_BODY_BYTES_MAX,
  content: { mediaType: 'application/x-www-form-urlencoded', schema: fields.json, isRequired: true },
  read(bytes, headers) {
    if (bytes.length === 0) {
      return refuse('malformedBody', 'the request has no body; send a form');
    }
    if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers['content-type'] ?? '')) {
      return refuse('contentNotForm');
    }
    const parameters = isUtf8(bytes) ? parseQuery(bytes.toString('utf8')) : undefined;
    if (parameters === undefined) {
      return refuse('malformedBody', 'it is not a form in percent-encoded UTF-8');
    }
    if ([...parameters.values()].some(({ length }) => length > 1)) {
      return refuse('malformedBody', 'a parameter occurs more than once');
    }
    return acceptFields(Object.fromEntries([...parameters].map(([name, [first]]) => [name, first])));
  },
};

export const introspectOperations = {
  introspectToken: operation({
    method: 'POST',
    path: '/api/v1/introspect',
    access: 'authenticated',
    isUncounted: true,
    scopes: ['full', 'read_only', 'identity'],
    body: form,
    async handle({ tokens, clock }, { body }) {
      const digest = parseToken(body.token);
      const found = digest && (await tokens.findLive(digest, clock()));
      // The token of a password link can only set a password, so programs must treat the token as invalid.
      const isHidden = found === undefined || found.token.scope === 'set_password';
      return jsonReply(200, JSON.stringify(isHidden ? { active: false } : describeToken(found)));
    },
  }),
};

function describeToken({ token, user }: { readonly token: Token; readonly user: User }) {
  return {
    active: true,
    sub: String(user.id),
    username: user.username,
    email: user.email,
    scope: token.scope,
    ...(token.audience && { aud: token.audience }),
    token_type: 'Bearer' as const,
    exp: toSeconds(token.expiresAt),
    iat: toSeconds(token.dateCreated),
  };
}

/** @returns The seconds since 1970 (NumericDate of RFC 7519 §2), rounded down. */
function toSeconds(timestamp: Timestamp): number {
  return Math.floor(Date.parse(timestamp) / 1_000);
}
