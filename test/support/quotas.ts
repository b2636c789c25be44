/** Quotas that no test reaches. */
export const QUOTAS = { projectsPerUserMax: 10_000, tokensPerUserMax: 1_000 };
