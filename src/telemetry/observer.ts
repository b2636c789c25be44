/** The events that metrics count. The core reports each event, and does not know who listens. */
export interface Observer {
  requestBegan(): void;
  requestEnded(request: {
    /** The path template of the operation; absent when no operation matches. */
    readonly route: string | undefined;
    readonly method: string;
    readonly status: number;
    readonly durationMs: number;
  }): void;
  signedIn(outcome: SignInOutcome): void;
}

export type SignInOutcome = 'password' | 'token' | 'rejected' | 'throttled' | 'busy';
