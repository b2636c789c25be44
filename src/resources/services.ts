/** The parts that handlers work with, created once at start-up. */
import type { Caller } from '../auth/authenticate.ts';
import type { CheckPassword } from '../auth/password-check.ts';
import type { PasswordHasher } from '../auth/password.ts';
import type { Throttle } from '../auth/throttle.ts';
import type { HttpRequest } from '../http/exchange.ts';
import type { StaticFiles } from '../http/static-files.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';
import type { AuditStore } from '../stores/audit.ts';
import type { ProjectStore } from '../stores/projects.ts';
import type { CheckReadiness } from '../stores/readiness.ts';
import type { SummaryStore } from '../stores/summary.ts';
import type { TokenStore } from '../stores/tokens.ts';
import type { UserChanges } from '../stores/user-changes.ts';
import type { UserStore } from '../stores/users.ts';

/** The stage of this process. `programs/life-cycle.ts` sets it; probes and responses read it. */
export interface LifeCycle {
  /**
   * True once the process was asked to end. It still answers, but load balancers should send nothing more.
   */
  isEnding: boolean;
}

export interface Services {
  readonly users: UserStore;
  readonly userChanges: UserChanges;
  readonly projects: ProjectStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly summaries: SummaryStore;
  readonly passwords: PasswordHasher;
  readonly checkPassword: CheckPassword;
  /** Counts registrations with a taken username. */
  readonly takenNames: Throttle;
  readonly staticFiles: StaticFiles;
  readonly clock: Clock;
  readonly lifeCycle: Readonly<LifeCycle>;
  readonly checkReadiness: CheckReadiness;
  readonly tokenLifetimes: {
    readonly defaultSeconds: number;
    readonly maxSeconds: number;
  };
}

/**
 * Makes the origin of a change for the audit trail: the caller, the request, the time and the address.
 *
 * @param caller - `undefined` when nobody has signed in.
 */
export function auditContext(
  { clock }: Services,
  { id, address }: HttpRequest,
  caller: Caller | undefined,
): Origin {
  return {
    at: toTimestamp(clock()),
    user: caller?.user,
    signIn: caller?.signIn ?? 'none',
    tokenId: caller?.signIn === 'token' ? caller.token.id : undefined,
    passwordVersion: caller?.signIn === 'password' ? caller.passwordVersion : undefined,
    requestId: id,
    address,
  };
}
