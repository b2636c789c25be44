/** Writes the findings of the audit for people. */

/** @typedef {ReturnType<typeof import('./files.js').measure>} Measure */

/** @typedef {'lines' | 'words' | 'bytes' | 'gzipBytes'} Column */

/** @type {readonly Column[]} */
const COLUMNS = ['lines', 'bytes', 'gzipBytes'];

/**
 * @param {{
 *   readonly version: string,
 *   readonly node: string,
 *   readonly findings: readonly { claim: string, faults: readonly string[], remark?: string }[],
 *   readonly sources: readonly Measure[],
 *   readonly files: readonly Measure[],
 *   readonly pages: readonly Measure[],
 * }} report
 * @param {boolean} hasFiles - True to name each file.
 */
export function toText({ version, node, findings, sources, files, pages }, hasFiles) {
  const claims = findings.flatMap(({ claim, faults, remark }) => [
    `${faults.length === 0 ? '✔' : '✖'} ${claim}`,
    ...faults.map((fault) => `    ${fault}`),
    ...(remark ? [`    (${remark})`] : []),
  ]);
  const holding = findings.filter(({ faults }) => faults.length === 0).length;
  return [
    `Rollcall ${version} under Node.js ${node}`,
    '',
    ...claims,
    '',
    ...toTable('src/', ['lines', 'words'], sources, { hasFiles, partOf: toCoreOrExtras }),
    '',
    ...toTable('dist/', COLUMNS, files, { hasFiles, partOf: toFolder }),
    '',
    ...toTable('static/ and generated pages', COLUMNS, pages, { hasFiles, partOf: toFolder }),
    '',
    `${holding} of ${findings.length} claims hold`,
  ].join('\n');
}

/** @param {string} name */
function toFolder(name) {
  return name.includes('/') ? `${name.split('/')[0]}/` : 'the top folder';
}

/** Separates the core, which one must read to trust the service, from extras. @param {string} name */
function toCoreOrExtras(name) {
  return name.startsWith('extras/') ? 'extras' : 'core';
}

/**
 * @param {string} title
 * @param {readonly Column[]} columns
 * @param {readonly Measure[]} files
 * @param {{ readonly hasFiles: boolean, readonly partOf: (name: string) => string }} options
 */
function toTable(title, columns, files, { hasFiles, partOf }) {
  const toRow = (/** @type {readonly Measure[]} */ measures, /** @type {string} */ name) => {
    const sums = columns.map((column) => measures.reduce((sum, measure) => sum + measure[column], 0));
    return `${toCells([measures.length, ...sums])}  ${name}`;
  };
  return [
    `${toCells(['files', ...columns.map((column) => column.replace('Bytes', ''))])}  part of ${title}`,
    ...(hasFiles ? files.map((file) => toRow([file], `${file.sha256}  ${file.name}`)) : []),
    ...Array.from(Map.groupBy(files, ({ name }) => partOf(name)), ([name, part]) => toRow(part, name)),
    toRow(files, 'all'),
  ];
}

/** @param {readonly (string | number)[]} cells */
function toCells(cells) {
  return cells.map((cell) => String(cell).padStart(8)).join('');
}
