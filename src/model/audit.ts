import { toTimestamp, type Clock, type Timestamp } from './clock.ts';
import type { TokenId } from './token.ts';
import type { UserId } from './user.ts';

/** Only earlier versions of the service recorded the action `token.renew`. */
export const AUDIT_ACTIONS = [
  'user.create', 'user.update', 'user.password', 'user.password_link', 'user.delete',
  'project.create', 'project.update', 'project.delete',
  'token.create', 'token.renew', 'token.revoke', 'token.revoke_all',
  'sign_in.failures',
  'audit.delete',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The author and time of a change, for permission checks and audit events. `Origin` contains no secret. */
export interface Origin {
  readonly at: Timestamp;
  readonly user: { readonly id: UserId; readonly username: string } | undefined;
  /** The value `none` means no credentials; `program` means an operator's command or the service itself. */
  readonly signIn: 'password' | 'token' | 'none' | 'program';
  readonly tokenId?: TokenId | undefined;
  readonly passwordVersion?: number | undefined;
  /** The only user whom the caller may see; absent if the caller may see all users. */
  readonly visibleUserId?: UserId | undefined;
  /** The id of the request. If no request caused the change, `requestId` and `address` are empty. */
  readonly requestId: string;
  readonly address: string;
}

export function toProgramOrigin(clock: Clock): Origin {
  return { at: toTimestamp(clock()), user: undefined, signIn: 'program', requestId: '', address: '' };
}
