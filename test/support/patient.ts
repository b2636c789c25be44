/** Even a busy machine does not reach these time limits. To test a limit, a test sets a lower value. */
const HOUR_MS = 3_600_000;

export const PATIENT = {
  headersTimeoutMs: HOUR_MS,
  requestTimeoutMs: HOUR_MS,
  responseTimeoutMs: HOUR_MS,
  keepAliveTimeoutMs: HOUR_MS,
  passwordWaitMs: HOUR_MS,
};
