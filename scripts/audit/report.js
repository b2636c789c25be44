/** The findings of the audit for people. */

/** @typedef {ReturnType<typeof import('./files.js').measure>} Measure */

/**
 * @param {{
 *   readonly version: string,
 *   readonly node: string,
 *   readonly findings: readonly { claim: string, faults: readonly string[], remark?: string }[],
 *   readonly sha256: string,
 *   readonly files: readonly Measure[],
 *   readonly pages: readonly Measure[],
 * }} report
 * @param {boolean} hasFiles - Whether to name each file.
 */
export function toText({ version, node, findings, files, pages }, hasFiles) {
  const claims = findings.map(({ claim, faults, remark }) =>
    [`${faults.length === 0 ? '✔' : '✖'} ${claim}`, ...faults.map((fault) => `    ${fault}`), ...(remark ? [`    (${remark})`] : [])].join('\n'));
  const holding = findings.filter(({ faults }) => faults.length === 0).length;
  return [
    `Rollcall ${version} under Node.js ${node}`,
    '',
    ...claims,
    '',
    ...toTable('dist/', files, hasFiles),
    '',
    ...toTable('static/ and the pages that the build makes', pages, hasFiles),
    '',
    `${holding} of ${findings.length} claims hold`,
  ].join('\n');
}

/**
 * @param {string} title
 * @param {readonly Measure[]} files
 * @param {boolean} hasFiles
 */
function toTable(title, files, hasFiles) {
  const parts = [...Map.groupBy(files, ({ name }) => toPart(name))].map(([name, members]) => ({ ...sum(members), name }));
  return [
    `${toRow(['files', 'lines', 'bytes', 'gzip'])}  part of ${title}`,
    ...(hasFiles ? files.map(({ name, lines, bytes, gzipBytes, sha256 }) => `${toRow([1, lines, bytes, gzipBytes])}  ${sha256}  ${name}`) : []),
    ...[...parts, { ...sum(files), name: 'all' }].map((part) => `${toRow([part.files, part.lines, part.bytes, part.gzipBytes])}  ${part.name}`),
  ];
}

/** @param {string} name @returns {string} Its folder, or for the files beside the folders what they are. */
function toPart(name) {
  return name.includes('/') ? `${name.split('/')[0]}/` : 'the top folder';
}

/** @param {readonly Measure[]} files */
function sum(files) {
  const total = { files: files.length, lines: 0, bytes: 0, gzipBytes: 0 };
  for (const { lines, bytes, gzipBytes } of files) {
    total.lines += lines;
    total.bytes += bytes;
    total.gzipBytes += gzipBytes;
  }
  return total;
}

/** @param {readonly (string | number)[]} cells */
function toRow(cells) {
  return cells.map((cell) => String(cell).padStart(8)).join('');
}
