/** Quotas that are so high that no test reaches them by accident. */
export const QUOTAS = { projectsPerUserMax: 10_000, tokensPerUserMax: 1_000 };
