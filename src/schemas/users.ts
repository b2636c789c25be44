import type { Schema } from '../jsonschema/schema.ts';
import { COMMON_PASSWORDS } from './common-passwords.ts';
import { usernameSchema } from './names.ts';

/** The body of `POST /api/v1/users`. */
export interface NewUserBody {
  readonly username: string;
  readonly password: string;
  readonly email: string;
}

const PASSWORD_BYTES_MAX = 1024;

/** What is asked of a new password. There are no rules about its composition: they make passwords worse (NIST SP 800-63B). */
export interface PasswordRule {
  /** In characters. */
  readonly passwordLengthMin: number;
  /** `strict` refuses the most common passwords. */
  readonly passwordPolicy: 'basic' | 'strict';
}

export function createPasswordSchema({ passwordLengthMin, passwordPolicy }: PasswordRule): Schema {
  const description = `At most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`;
  const size: Schema = { type: 'string', minLength: passwordLengthMin, maxLength: PASSWORD_BYTES_MAX, description };
  return passwordPolicy === 'basic' ? size : { ...size, not: { enum: COMMON_PASSWORDS, title: 'one of the most common passwords' } };
}

/** A schema counts characters; the limit is in bytes of UTF-8. @returns What is wrong, to complete "it …". */
export function findPasswordFault(password: string): string | undefined {
  return Buffer.byteLength(password) > PASSWORD_BYTES_MAX ? `must be at most ${PASSWORD_BYTES_MAX} bytes of UTF-8` : undefined;
}

const emailSchema: Schema = {
  type: 'string',
  maxLength: 254,
  format: 'email',
  description: 'An email address; other signed-in users see it.',
};

export function createNewUserSchema(rule: PasswordRule): Schema {
  return {
    type: 'object',
    required: ['username', 'password', 'email'],
    properties: { username: usernameSchema, password: createPasswordSchema(rule), email: emailSchema },
  };
}

/** Takes the members that the service knows out of a body that the schema has accepted; all others are ignored. */
export function toNewUserBody(body: unknown): NewUserBody {
  const { username, password, email } = body as NewUserBody;
  return { username, password, email };
}

/** The body of `PATCH /api/v1/users/{username_or_id}`: what is absent stays as it is. */
export interface UserPatch {
  readonly username?: string;
  readonly email?: string;
  readonly isAdmin?: boolean;
  readonly isDisabled?: boolean;
}

export const userPatchSchema: Schema = {
  type: 'object',
  properties: {
    username: usernameSchema,
    email: emailSchema,
    is_admin: { type: 'boolean', description: 'Whether the user is an administrator; for administrators.' },
    disabled: { type: 'boolean', description: 'Whether the user is kept from signing in; for administrators.' },
  },
};

/** Takes the members that the service knows out of a body that the schema has accepted; all others are ignored. */
export function toUserPatch(body: unknown): UserPatch {
  const { username, email, is_admin: isAdmin, disabled: isDisabled } =
    body as { username?: string; email?: string; is_admin?: boolean; disabled?: boolean };
  return {
    ...(username === undefined ? {} : { username }),
    ...(email === undefined ? {} : { email }),
    ...(isAdmin === undefined ? {} : { isAdmin }),
    ...(isDisabled === undefined ? {} : { isDisabled }),
  };
}

/** The body of `PUT /api/v1/users/{username_or_id}/password`. */
interface NewPasswordBody {
  readonly password: string;
  /** Needed for one's own. */
  readonly currentPassword: string | undefined;
}

/** @param rule - For the new password; the current one may be older than the rule. */
export function createNewPasswordSchema(rule: PasswordRule): Schema {
  return {
    type: 'object',
    required: ['password'],
    properties: {
      password: createPasswordSchema(rule),
      current_password: { type: 'string', description: "Needed for one's own password." },
    },
  };
}

/** Takes the members that the service knows out of a body that the schema has accepted; all others are ignored. */
export function toNewPasswordBody(body: unknown): NewPasswordBody {
  const { password, current_password: currentPassword } = body as { password: string; current_password?: string };
  return { password, currentPassword };
}
