/** Checks that an installation of the service installs no other package, and runs no script. */

const DEVELOPMENT_PACKAGES = ['@types/node', 'tsx', 'typescript'];
const RUNTIME_KEYS = [
  'dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'bundledDependencies',
];
/** npm runs these scripts during an installation. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];

type Json = Readonly<Record<string, any>>;

export function findPackageFaults(manifest: Json, lock: Json): string[] {
  const { '': root = {}, ...packages } = lock['packages'];
  const locked = Object.entries<Json>(packages);
  const has = (object: Json) => (key: string) => key in object;
  return [
    ...RUNTIME_KEYS.filter(has(manifest)).map((key) => `package.json has ${key}`),
    ...RUNTIME_KEYS.filter(has(root)).map((key) => `package-lock.json has ${key}`),
    ...INSTALL_SCRIPTS.filter(has(manifest['scripts'])).map((name) => `package.json has the script ${name}`),
    ...Object.keys(manifest['devDependencies'])
      .filter((name) => !DEVELOPMENT_PACKAGES.includes(name))
      .map((name) => `package.json has the development package ${name}`),
    ...locked
      .filter(([, entry]) => entry['dev'] !== true)
      .map(([name]) => `package-lock.json has ${name}, which is not only for development`),
    ...locked
      .filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))
      .map(([name]) => `package-lock.json has no digest of ${name}`),
  ];
}
