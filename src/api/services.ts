/** The parts that handlers work with. */
import type { Authenticate } from '../auth/authenticate.ts';
import type { CheckPassword } from '../auth/password-check.ts';
import type { PasswordHasher } from '../auth/password.ts';
import type { FailureLimit } from '../auth/throttle.ts';
import type { StaticFiles } from '../http/static-files.ts';
import type { Clock } from '../model/clock.ts';
import type { FairQueue } from '../scheduling/fair-queue.ts';
import type { ProjectStore } from '../stores/projects.ts';
import type { TokenStore } from '../stores/tokens.ts';
import type { UserChanges } from '../stores/user-changes.ts';
import type { UserStore } from '../stores/users.ts';

export interface Services {
  readonly users: UserStore;
  readonly userChanges: UserChanges;
  readonly projects: ProjectStore;
  readonly tokens: TokenStore;
  /** The queue of long reads. */
  readonly reads: FairQueue;
  /** Counts for the metrics, which change while the service runs. */
  readonly measured: {
    readonly queues: Readonly<Record<string, Pick<FairQueue, 'measures'>>>;
    readonly lookUps: Readonly<Record<'hits' | 'misses', number>>;
  };
  readonly passwords: PasswordHasher;
  readonly checkPassword: CheckPassword;
  /** Limits, for each network, the attempts to choose a taken username. */
  readonly takenNames: FailureLimit;
  readonly authenticate: Authenticate;
  readonly staticFiles: StaticFiles;
  /** The prefix of all paths, such as `/rollcall`, or an empty text. */
  readonly basePath: string;
  readonly clock: Clock;
  /** The stage of this process, which `programs/serve.ts` sets. */
  readonly lifeCycle: {
    startStage?: 'starting' | 'upgrading' | undefined;
    /** True once the process was asked to end; the process answers requests until its end. */
    isEnding: boolean;
  };
}
