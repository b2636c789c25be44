/** Checks that npm installs no package and runs no script when a user installs the service. */

const DEVELOPMENT_PACKAGES = ['@types/node', 'tsx', 'typescript'];
const RUNTIME_KEYS = [
  'dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'bundledDependencies',
];
/** Scripts that npm runs automatically during an installation. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];

/** @typedef {Readonly<Record<string, any>>} Json */

/**
 * @param {Json} manifest - package.json
 * @param {Json} lock - package-lock.json
 * @returns {string[]} A sentence for each fault.
 */
export function findPackageFaults(manifest, lock) {
  const { '': root = {}, ...packages } = lock['packages'];
  const locked = Object.entries(packages);
  const has = (/** @type {Json} */ object) => (/** @type {string} */ key) => key in object;
  return [
    ...RUNTIME_KEYS.filter(has(manifest)).map((key) => `package.json has ${key}`),
    ...RUNTIME_KEYS.filter(has(root)).map((key) => `package-lock.json has ${key}`),
    ...INSTALL_SCRIPTS.filter(has(manifest['scripts'])).map((name) => `package.json has the script ${name}`),
    ...Object.keys(manifest['devDependencies'])
      .filter((name) => !DEVELOPMENT_PACKAGES.includes(name))
      .map((name) => `package.json has the development package ${name}`),
    ...locked
      .filter(([, { dev }]) => dev !== true)
      .map(([name]) => `package-lock.json has ${name}, not for development alone`),
    ...locked
      .filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))
      .map(([name]) => `package-lock.json has no digest of ${name}`),
  ];
}
