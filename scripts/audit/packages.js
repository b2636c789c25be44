/** What the manifest and the lock file would have npm install beside the service. */

const DEVELOPMENT_PACKAGES = ['@types/node', 'tsx', 'typescript'];
const RUNTIME_KEYS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'bundledDependencies'];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];

/**
 * @param {Readonly<Record<string, any>>} manifest - package.json
 * @param {Readonly<Record<string, any>>} lock - package-lock.json
 * @returns {string[]} What is wrong.
 */
export function findPackageFaults(manifest, lock) {
  const { '': root = {}, ...packages } = lock['packages'];
  return [
    ...RUNTIME_KEYS.filter((key) => key in manifest).map((key) => `package.json has ${key}`),
    ...INSTALL_SCRIPTS.filter((name) => name in manifest['scripts']).map((name) => `package.json has the script ${name}, which npm runs by itself`),
    ...Object.keys(manifest['devDependencies']).filter((name) => !DEVELOPMENT_PACKAGES.includes(name)).map((name) => `package.json has the development package ${name}`),
    ...RUNTIME_KEYS.filter((key) => key in root).map((key) => `package-lock.json has ${key}`),
    ...Object.keys(packages).filter((name) => packages[name].dev !== true).map((name) => `package-lock.json has ${name}, not for development alone`),
    ...Object.keys(packages).filter((name) => !/^sha512-/.test(packages[name].integrity ?? '')).map((name) => `package-lock.json has no digest of ${name}`),
  ];
}
