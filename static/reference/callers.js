/** Says in words who can call an operation. */
const CALLERS = {
  public: 'Anyone, without credentials.',
  secret: 'Only clients that send the METRICS_TOKEN of the operator.',
  authenticated: 'Signed-in users.',
  administrator: 'Only administrators.',
};

/**
 * @param {{ access: keyof typeof CALLERS, scopes: readonly string[] | undefined }} operation
 * @param {readonly string[]} everyScope
 */
export function describeCallers({ access, scopes }, everyScope) {
  const others = scopes === undefined ? [] : everyScope.filter((scope) => !scopes.includes(scope));
  const names = others.map((scope) => `\`${scope}\``).join(' or ');
  const refused = others.length > 0 && `A token of the scope ${names} cannot call this operation.`;
  return [CALLERS[access], refused].filter(Boolean).join(' ');
}
