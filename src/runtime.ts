/** The Node.js that the service needs; imports nothing, so that it can be asked under any Node.js. */

/** The first version whose node:sqlite has everything that `database/sqlite.ts` uses; the same as `engines` in package.json. */
export const NODE_VERSION_MIN = '22.16.0';

/** @param version - As `process.versions.node`. @returns What is wrong and what to do, or `undefined` when it suffices. */
export function findRuntimeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin = 0, minorMin = 0] = NODE_VERSION_MIN.split('.').map(Number);
  if (major > majorMin || (major === majorMin && minor >= minorMin)) {
    return undefined;
  }
  return (
    `Rollcall needs Node.js ${NODE_VERSION_MIN} or later (for node:sqlite), and this is Node.js ${version}: ` +
    'install a newer one, or type "npm start" in the project, which fetches one'
  );
}
