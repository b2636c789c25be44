/** What the manifest and the lock file would have npm install beside the service. */

const DEVELOPMENT_PACKAGES = ['@types/node', 'tsx', 'typescript'];
const RUNTIME_KEYS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'bundledDependencies'];
/** Those that npm runs by itself, when somebody installs the service. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];

/** @typedef {Readonly<Record<string, any>>} Json */

/**
 * @param {Json} manifest - package.json
 * @param {Json} lock - package-lock.json
 * @returns {string[]} What is wrong.
 */
export function findPackageFaults(manifest, lock) {
  const { '': root = {}, ...packages } = lock['packages'];
  return [...findManifestFaults(manifest), ...keysOf(root, RUNTIME_KEYS).map((key) => `package-lock.json has ${key}`), ...findLockFaults(packages)];
}

/** @param {Json} manifest */
function findManifestFaults(manifest) {
  const others = Object.keys(manifest['devDependencies']).filter((name) => !DEVELOPMENT_PACKAGES.includes(name));
  return [
    ...keysOf(manifest, RUNTIME_KEYS).map((key) => `package.json has ${key}`),
    ...keysOf(manifest['scripts'], INSTALL_SCRIPTS).map((name) => `package.json has the script ${name}`),
    ...others.map((name) => `package.json has the development package ${name}`),
  ];
}

/** @param {Json} packages - By the folder that they are installed into. */
function findLockFaults(packages) {
  const faults = [];
  for (const [name, { dev, integrity = '' }] of Object.entries(packages)) {
    if (dev !== true) {
      faults.push(`package-lock.json has ${name}, not for development alone`);
    }
    if (!integrity.startsWith('sha512-')) {
      faults.push(`package-lock.json has no digest of ${name}`);
    }
  }
  return faults;
}

/**
 * @param {Json} object
 * @param {readonly string[]} keys
 */
function keysOf(object, keys) {
  return keys.filter((key) => key in object);
}
