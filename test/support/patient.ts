/** Limits of time that a busy machine must not reach. A test that is about a limit chooses its own. */
const HOUR_MS = 3_600_000;

export const PATIENT = {
  headersTimeoutMs: HOUR_MS,
  requestTimeoutMs: HOUR_MS,
  responseTimeoutMs: HOUR_MS,
  keepAliveTimeoutMs: HOUR_MS,
  passwordWaitMs: HOUR_MS,
};
