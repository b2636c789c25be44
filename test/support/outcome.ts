/** Returns the outcome of a guarded change in one word: `changed`, or the reason of the refusal. */
export function wordOf(
  outcome: { readonly kind: 'changed' } | { readonly kind: 'refused'; readonly reason: string },
): string {
  return outcome.kind === 'changed' ? 'changed' : outcome.reason;
}
