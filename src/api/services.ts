/** The parts of the service that the app and the handlers use. */
import type { Authenticate } from '../auth/authenticate.ts';
import type { SpendChange } from '../auth/change-budget.ts';
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
  readonly queues: Readonly<Record<'passwords' | 'reads', FairQueue>>;
  /** The numbers of look-ups in the cache of verified passwords. */
  readonly lookUps: Readonly<Record<'hits' | 'misses', number>>;
  readonly passwords: PasswordHasher;
  readonly checkPassword: CheckPassword;
  /** Limits how often the clients on a network can try to choose a taken username. */
  readonly takenNames: FailureLimit;
  readonly authenticate: Authenticate;
  readonly spendChange: SpendChange;
  readonly staticFiles: StaticFiles;
  /** The prefix of all paths, for example `/rollcall`; empty if there is no prefix. */
  readonly basePath: string;
  readonly clock: Clock;
  /** Only `programs/serve.ts` changes `stage`. In the stage `draining`, requests still get responses. */
  readonly lifeCycle: { stage: 'starting' | 'upgrading' | 'serving' | 'draining' };
}
