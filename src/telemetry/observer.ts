/** The events that metrics count. */
export interface Observer {
  requestBegan(): void;
  requestEnded(request: {
    /** The path template of the operation, or `undefined` if no operation matches. */
    readonly route: string | undefined;
    readonly method: string;
    readonly status: number;
    readonly durationMs: number;
  }): void;
  signedIn(outcome: SignInOutcome): void;
}

export type SignInOutcome = 'password' | 'token' | 'rejected' | 'throttled' | 'busy';
