/** Results as tables that people read. */
import type { WorkloadResult } from './measure.ts';

interface Column<Row> {
  readonly title: string;
  readonly toText: (row: Row) => string;
}

export interface ScaleStep {
  readonly userCount: number;
  readonly results: readonly WorkloadResult[];
}

/** Writes one row for each workload. CPU is the user and system time of the server for one request. */
export function formatComparison(results: readonly WorkloadResult[]): string {
  const columns: readonly Column<WorkloadResult>[] = [
    { title: 'workload', toText: ({ name }) => name },
    { title: 'bytes', toText: ({ answerBytes }) => String(answerBytes) },
    { title: 'req/s', toText: ({ service }) => round(service.requestsPerSecond) },
    { title: 'p50 ms', toText: ({ service }) => round(service.p50Ms) },
    { title: 'p99 ms', toText: ({ service }) => round(service.p99Ms) },
    { title: 'CPU µs', toText: ({ service }) => round(service.cpuMicroseconds) },
    { title: 'bare req/s', toText: ({ bare }) => round(bare?.requestsPerSecond) },
    { title: 'bare CPU µs', toText: ({ bare }) => round(bare?.cpuMicroseconds) },
    { title: 'req/s ratio', toText: ({ ratios }) => round(ratios?.requestsPerSecond) },
    { title: 'CPU ratio', toText: ({ ratios }) => round(ratios?.cpu) },
    { title: 'peak MiB', toText: ({ peakMemoryMib }) => peakMemoryMib.toFixed(0) },
  ];
  return `${formatTable(columns, results)}\n${formatTitles(results)}`;
}

/** Shows how the cost of each workload grows with the number of users. */
export function formatScale(steps: readonly ScaleStep[]): string {
  const figures = [
    { title: 'p50 in milliseconds, one request at a time', field: 'p50Ms' },
    { title: 'server CPU in microseconds a request', field: 'cpuMicroseconds' },
  ] as const;
  const names = steps[0]?.results.map(({ name }) => name) ?? [];
  const tables = figures.map(({ title, field }) => {
    const columns: readonly Column<string>[] = [
      { title: 'workload', toText: (name) => name },
      ...steps.map(({ userCount, results }) => ({
        title: `${toThousands(userCount)} users`,
        toText: (name: string) => round(results.find((result) => result.name === name)?.service[field]),
      })),
    ];
    return `${title}\n\n${formatTable(columns, names)}`;
  });
  const titles = steps.map(({ userCount, results }) =>
    `${toThousands(userCount)} users\n\n${formatTitles(results)}`);
  return [...tables, ...titles].join('\n');
}

function formatTitles(results: readonly WorkloadResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  return results.map(({ name, title }) => `${name.padEnd(width)}  ${title}\n`).join('');
}

/** Aligns the first column left, and the others right. */
function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const aligned = columns.map(({ title, toText }, column) => {
    const texts = [title, ...rows.map(toText)];
    const width = Math.max(...texts.map(({ length }) => length));
    return texts.map((text) => (column === 0 ? text.padEnd(width) : text.padStart(width)));
  });
  const lines = [undefined, ...rows].map((_, line) => aligned.map((texts) => texts[line]).join('  '));
  return `${lines.join('\n')}\n`;
}

/** Rounds to three digits, since the noise hides further ones. */
function round(value = NaN): string {
  if (Number.isNaN(value)) {
    return '-';
  }
  return value >= 100 ? toThousands(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function toThousands(integer: number): string {
  return integer.toLocaleString('en').replaceAll(',', ' ');
}
