/** Quotas that are in no test's way. */
export const QUOTAS = { projectsPerUserMax: 10_000, tokensPerUserMax: 1_000 };
