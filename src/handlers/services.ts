/** What handlers work with; made once, at start-up. */
import type { Caller } from '../auth/authenticate.ts';
import type { CheckPassword } from '../auth/password-check.ts';
import type { PasswordHasher } from '../auth/password.ts';
import type { Throttle } from '../auth/throttle.ts';
import type { HttpRequest, Reply } from '../http/exchange.ts';
import type { StaticFiles } from '../http/static-files.ts';
import type { Clock } from '../model/clock.ts';
import type { LifeCycle } from '../model/life-cycle.ts';
import type { AuditStore } from '../stores/audit.ts';
import type { ProjectStore } from '../stores/projects.ts';
import type { CheckReadiness } from '../stores/readiness.ts';
import type { TokenStore } from '../stores/tokens.ts';
import type { UserChanges } from '../stores/user-changes.ts';
import type { UserStore } from '../stores/users.ts';
import type { Metric } from '../telemetry/metrics.ts';

export interface Services {
  readonly users: UserStore;
  readonly userChanges: UserChanges;
  readonly projects: ProjectStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly passwords: PasswordHasher;
  readonly checkPassword: CheckPassword;
  /** Counts registrations that meet a taken username. */
  readonly takenNames: Throttle;
  readonly staticFiles: StaticFiles;
  readonly clock: Clock;
  readonly lifeCycle: Readonly<LifeCycle>;
  readonly checkReadiness: CheckReadiness;
  readonly metrics: {
    readonly isServed: boolean;
    /** What a scraper has to show; absent when anybody may read. */
    readonly token: string | undefined;
    /** Those of all processes of the service. */
    collect(): Promise<readonly Metric[]>;
  };
  readonly tokenLifetimes: {
    readonly defaultSeconds: number;
    readonly maxSeconds: number;
  };
}

/** Answers anybody; it is not told who is calling. */
export type PublicHandler = (services: Services, request: HttpRequest) => Reply | Promise<Reply>;

/** Answers an authenticated caller. */
export type AuthenticatedHandler = (services: Services, request: HttpRequest, caller: Caller) => Reply | Promise<Reply>;
