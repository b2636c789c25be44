/** Says in words who can call an operation. */
const CALLERS = {
  public: 'Anyone, without credentials.',
  optional: 'Anyone. Credentials are optional.',
  secret: 'Only clients that send the METRICS_TOKEN of the operator.',
  authenticated: 'Signed-in users.',
  administrator: 'Only administrators.',
};

/**
 * @param {object} operation
 * @param {keyof typeof CALLERS} operation.access
 * @param {readonly string[] | undefined} operation.scopes
 * @param {string | undefined} operation.passwordUrl
 * @param {readonly string[]} everyScope
 */
export function describeCallers({ access, scopes, passwordUrl }, everyScope) {
  const others = scopes === undefined ? [] : everyScope.filter((scope) => !scopes.includes(scope));
  const names = others.map((scope) => `\`${scope}\``).join(' or ');
  const refused = others.length > 0 && `A token of the scope ${names} cannot call this operation.`;
  const limit = passwordUrl && `A token is not enough for [some changes](${passwordUrl}).`;
  return [CALLERS[access], refused, limit].filter(Boolean).join(' ');
}
