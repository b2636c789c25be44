/**
 * The audit trail: what was changed, and by whom. Every change that the service makes is one event, written
 * together with the change. Nothing in an event is a secret.
 */
import { toTimestamp, type Clock, type Timestamp } from './clock.ts';
import type { TokenId } from './token.ts';
import type { UserId } from './user.ts';

/** `token.renew` occurs only in trails of earlier versions. */
export const AUDIT_ACTIONS = [
  'user.create', 'user.update', 'user.password', 'user.password_link', 'user.delete',
  'project.create', 'project.update', 'project.delete',
  'token.create', 'token.renew', 'token.revoke', 'token.revoke_all',
  'sign_in.failures',
  'audit.delete',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The caller, the sign-in, the request and the time: for the guards of a change, and for its event. */
export interface Origin {
  readonly at: Timestamp;
  /** The user who makes the change; `undefined` without a sign-in, and for the operator. */
  readonly user: { readonly id: UserId; readonly username: string } | undefined;
  /** `none` is a caller without a sign-in, `program` is a command of the operator or the service itself. */
  readonly signIn: 'password' | 'token' | 'none' | 'program';
  /** The token that the caller signed in with. */
  readonly tokenId?: TokenId | undefined;
  /** The version of the password that the caller signed in with (see `Account`), if it was a password. */
  readonly passwordVersion?: number | undefined;
  /** The only user of whom the caller may know; `undefined` if the caller may know of all. */
  readonly only?: UserId | undefined;
  /** The id of the request, as in the log; empty without a request. */
  readonly requestId: string;
  /** The address of the client; empty without a request. */
  readonly address: string;
}

/** The origin of a change by a command of the operator, or by the server itself. */
export function toProgramOrigin(clock: Clock): Origin {
  return { at: toTimestamp(clock()), user: undefined, signIn: 'program', requestId: '', address: '' };
}

/** Failed sign-ins within a minute, by attacked user and network. */
export interface SignInFailures {
  /**
   * Absent when no user with this username may sign in, and for a rest of several users. An unknown name is
   * not kept: it may be a password.
   */
  readonly user: { readonly id: UserId; readonly username: string } | undefined;
  /** An IPv4 address or an IPv6 network (/64); empty if several networks are counted together. */
  readonly network: string;
  readonly count: number;
}
