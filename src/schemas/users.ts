import type { Schema } from '../jsonschema/schema.ts';
import { usernameSchema } from './names.ts';

/** The body of `POST /api/v1/users`. */
export interface NewUserBody {
  readonly username: string;
  readonly password: string;
  readonly email: string;
}

const PASSWORD_BYTES_MAX = 1024;

/** @param passwordLengthMin - In characters. */
export function createPasswordSchema(passwordLengthMin: number): Schema {
  return { type: 'string', minLength: passwordLengthMin, maxLength: PASSWORD_BYTES_MAX };
}

/** A schema counts characters; the limit is in bytes of UTF-8. @returns What is wrong, to complete "it …". */
export function findPasswordFault(password: string): string | undefined {
  return Buffer.byteLength(password) > PASSWORD_BYTES_MAX ? `must be at most ${PASSWORD_BYTES_MAX} bytes of UTF-8` : undefined;
}

/** @param passwordLengthMin - In characters. */
export function createNewUserSchema(passwordLengthMin: number): Schema {
  return {
    type: 'object',
    required: ['username', 'password', 'email'],
    properties: {
      username: usernameSchema,
      password: createPasswordSchema(passwordLengthMin),
      email: { type: 'string', maxLength: 254, format: 'email' },
    },
  };
}

/** Takes the members that the service knows out of a body that the schema has accepted; all others are ignored. */
export function toNewUserBody(body: unknown): NewUserBody {
  const { username, password, email } = body as NewUserBody;
  return { username, password, email };
}
