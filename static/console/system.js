/**
 * The state of the service, for administrators. Each number of the metrics has a line of its values since
 * this page was opened, or the limit from which it needs attention.
 */
/** @import { Child } from '../shared/elements.js' */
import { button, element } from '../shared/elements.js';
/** @import { Screen } from './screen.js' */
import { readDescription } from './api.js';
import { draw, heading, soft, time } from './dom.js';
import { createCurl } from './form.js';
import { createReader } from './screen.js';

/** The metrics are read again while the screen is open. */
const REFRESH_MS = 10_000;

const VALUES_KEPT = 60;

/** The values that this page has seen, by the label of the tile. @type {Map<string, number[]>} */
const seen = new Map();

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
  const timer = setInterval(() => document.hidden || reads.at(-1)?.(), REFRESH_MS); // needs no token
  signal.addEventListener('abort', () => clearInterval(timer));

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
  const refused = (sum('rollcall_sign_ins_total', 'rejected') ?? 0)
    + (sum('rollcall_sign_ins_total', 'throttled') ?? 0);
  return element(
    'div', { class: 'numbers' },
    startedSeconds !== undefined && toTile('Started', time(new Date(startedSeconds * 1000).toISOString())),
    toTrend('Memory', sum('process_resident_memory_bytes'), toBytes, 'Up to 300 MB is normal'),
    toTrend('Database', sum('rollcall_database_size_bytes'), toBytes),
    toTrend('Requests', sum('http_server_request_duration_seconds_count'), toInteger),
    toTrend('Sign-ins', sum('rollcall_sign_ins_total', 'password') ?? 0, toInteger),
    toTrend('Refused sign-ins', refused, toInteger),
    toTrend('Processor time', sum('process_cpu_seconds_total'), (seconds) => `${seconds.toFixed(1)} s`),
    toTrend(
      'Event loop, 99th percentile', sum('nodejs_eventloop_delay_p99_seconds'),
      (seconds) => `${(seconds * 1000).toFixed(1)} ms`, 'Over 50 ms is slow',
    ),
  );
}

/**
 * @param {string} label
 * @param {Child} value
 * @param {...Child} more
 */
function toTile(label, value, ...more) {
  return value && element('div', { class: 'tile' }, toValue(value, label), ...more);
}

/**
 * @param {string} label
 * @param {number | undefined} value - No tile without one.
 * @param {(value: number) => Child} toText
 * @param {string} [limit]
 */
function toTrend(label, value, toText, limit) {
  if (value === undefined) {
    return undefined;
  }
  const values = [...seen.get(label) ?? [], value].slice(-VALUES_KEPT);
  seen.set(label, values);
  return toTile(label, toText(value), createLine(values), limit && soft(limit));
}

const LINE_WIDTH = 120;
const LINE_HEIGHT = 24;

/** A line of values from the oldest to the newest, between their least and their greatest. */
function createLine(/** @type {readonly number[]} */ values) {
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  const points = values.map((value, index) => {
    const x = index / Math.max(1, values.length - 1) * LINE_WIDTH;
    return `${x.toFixed(1)},${(LINE_HEIGHT - 1 - (value - least) / span * (LINE_HEIGHT - 2)).toFixed(1)}`;
  });
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  line.setAttribute('class', 'trend');
  line.setAttribute('viewBox', `0 0 ${LINE_WIDTH} ${LINE_HEIGHT}`);
  line.setAttribute('preserveAspectRatio', 'none');
  line.setAttribute('aria-hidden', 'true');
  line.append(document.createElementNS(line.namespaceURI, 'polyline'));
  line.firstElementChild?.setAttribute('points', points.join(' '));
  return line;
}

/**
 * @param {Child} value
 * @param {string} label
 */
function toValue(value, label) {
  return [element('span', {}, label), element('strong', {}, value)];
}

/** @param {number} count */
function toInteger(count) {
  return count.toLocaleString('en');
}

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** @param {number} count */
function toBytes(count) {
  const power = count > 0 ? Math.min(Math.floor(Math.log2(count) / 10), BYTE_UNITS.length - 1) : 0;
  return `${Number((count / 1024 ** power).toPrecision(3))} ${BYTE_UNITS[power]}`;
}
