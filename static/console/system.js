/** The state of the service, for administrators: tiles, and the raw metrics, which unfold. */
/** @import { Child } from '../shared/elements.js' */
import { button, element } from '../shared/elements.js';
/** @import { Screen } from './screen.js' */
import { readDescription } from './api.js';
import { draw, heading, soft, time } from './dom.js';
import { createCurl } from './form.js';
import { createTable } from './list.js';
import { createReader } from './screen.js';

/** @type {Readonly<Record<number, string>>} */
const METRICS_REFUSED = {
  401: 'These metrics need a token of their own, METRICS_TOKEN.',
  404: 'No metrics: set METRICS=on to collect them.',
};

/** @param {Screen} screen */
export function showSystem({ page, signal }) {
  /** @type {(() => unknown)[]} */
  const reads = [];
  const version = element('span', {}, '…');
  readDescription().then(({ info }) => { version.textContent = info.version ?? 'unknown'; });
  const probe = /** @type {const} */ ({ outside: true, authorization: null });
  draw(
    page,
    element(
      'div', { class: 'heading' }, heading('System'),
      element('div', { class: 'actions' }, button('Refresh', () => reads.forEach((read) => read()))),
    ),
    element(
      'div', { class: 'numbers' },
      createPart('tile', { path: ['livez'], ...probe }, () => toValue('Live', 'Process')),
      createPart('tile', {
        path: ['readyz'], ...probe,
      }, () => toValue('Ready', 'Readiness'), ({ failedChecks }) => (
        failedChecks.length > 0 && toValue(
          element('span', { class: 'bad' }, 'Not ready'), `Failed: ${failedChecks.join(', ')}`,
        )
      )),
      toTile('Version', version),
      createPart(
        'tile', { path: ['user'] },
        ({ token }) => toValue(time(token.expiration_date), 'Your session expires'),
      ),
    ),
    createPart('metrics', { path: ['metrics'], ...probe }, createMetrics, ({ status }) => {
      const words = METRICS_REFUSED[status];
      return words && soft(words);
    }),
    createCurl(() => ({ path: ['metrics'], ...probe }), 'The metrics with curl').details,
  );

  /**
   * @param {string} kind
   * @param {import('./api.js').Call} call
   * @param {(body: any) => Child} toContent
   * @param {(problem: import('./api.js').Problem) => Child} [explain]
   */
  function createPart(kind, call, toContent, explain) {
    const place = element('div', { class: kind });
    const show = (/** @type {import('./api.js').Answer} */ { body }) => draw(place, toContent(body));
    reads.push(createReader({ place, signal, toCall: () => call, show, explain }));
    return place;
  }
}

/**
 * @param {string} text - Samples in the text format of Prometheus; histograms are reduced to their counts.
 */
function createMetrics(text) {
  const samples = text.split('\n').filter(
    (line) => line !== '' && !/^#|_bucket\{|_seconds_sum\b/.test(line),
  ).map((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    return { name, labels, value: Number(value) };
  });
  const sum = (/** @type {string} */ name, labels = '') => {
    const found = samples.filter((sample) => sample.name === name && sample.labels.includes(labels));
    return found.length === 0 ? undefined : found.reduce((total, { value }) => total + value, 0);
  };
  const startedSeconds = sum('process_start_time_seconds');
  const cpuSeconds = sum('process_cpu_seconds_total');
  const delaySeconds = sum('nodejs_eventloop_delay_p99_seconds');
  return [
    element(
      'div', { class: 'numbers' },
      startedSeconds !== undefined && toTile('Started', time(new Date(startedSeconds * 1000).toISOString())),
      toTile('Memory', toBytes(sum('process_resident_memory_bytes'))),
      toTile('Database', toBytes(sum('rollcall_database_size_bytes'))),
      toTile('Requests', toInteger(sum('http_server_request_duration_seconds_count'))),
      toTile('Sign-ins', toInteger(sum('rollcall_sign_ins_total', 'password') ?? 0)),
      toTile(
        'Refused sign-ins',
        toInteger(
          (sum('rollcall_sign_ins_total', 'rejected') ?? 0) + (sum(
            'rollcall_sign_ins_total', 'throttled',
          ) ?? 0),
        ),
      ),
      cpuSeconds !== undefined && toTile('Processor time', `${cpuSeconds.toFixed(1)} s`),
      delaySeconds !== undefined && toTile(
        'Event loop, 99th percentile', `${(delaySeconds * 1000).toFixed(1)} ms`,
      ),
    ),
    element('details', {}, element(
      'summary', {}, `All ${samples.length} metrics`,
    ), createTable({ caption: 'Metrics', columns: [
      { title: 'Name', cell: ({ name, labels }) => element('code', { class: 'metric' }, name, soft(labels)) },
      { title: 'Value', cell: ({ value }) => String(Number(value.toPrecision(12))), class: 'number' },
    ], items: samples })),
  ];
}

/**
 * @param {string} label
 * @param {Child} value
 */
function toTile(label, value) {
  return value && element('div', { class: 'tile' }, toValue(value, label));
}

/**
 * @param {Child} value
 * @param {string} label
 */
function toValue(value, label) {
  return [element('span', {}, label), element('strong', {}, value)];
}

/** @param {number | undefined} count */
function toInteger(count) {
  return count?.toLocaleString('en');
}

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** @param {number | undefined} count */
function toBytes(count) {
  const power = count ? Math.min(Math.floor(Math.log2(count) / 10), BYTE_UNITS.length - 1) : 0;
  return count !== undefined && `${Number((count / 1024 ** power).toPrecision(3))} ${BYTE_UNITS[power]}`;
}
