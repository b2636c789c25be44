/**
 * The state of the service, for administrators. A tile shows the current value of a metric. Below this value,
 * a line chart shows the latest values.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Call, Problem } from './api.js' */
/** @import { Screen } from './screen.js' */
import { button, element } from '../shared/elements.js';
import { readDescription } from './api.js';
import { draw, heading, soft, time } from './dom.js';
import { createReader } from './screen.js';

const REFRESH_MS = 10_000;

const VALUES_KEPT = 60;

/** The latest values of each metric. The key is the label of the tile. @type {Map<string, number[]>} */
const seen = new Map();

/** @type {Readonly<Record<number, string>>} */
const METRICS_REFUSED = {
  401: 'The console cannot read the metrics, because METRICS_TOKEN is set.',
  404: 'There are no metrics. To collect metrics, set METRICS=on.',
};

/** @param {Screen} screen */
export function show({ page, signal }) {
  /** @type {(() => unknown)[]} */
  const reads = [];
  const version = element('span', {}, '…');
  readDescription().then(({ info }) => { version.textContent = info.version ?? 'unknown'; });
  draw(
    page,
    element(
      'div', { class: 'heading' }, heading('System'),
      element('div', { class: 'actions' }, button('Refresh', () => reads.forEach((read) => read()))),
    ),
    element(
      'div', { class: 'numbers' },
      createPart('tile', toProbe('livez'), () => toValue('Process', 'Live')),
      createPart('tile', toProbe('readyz'), () => toValue('Readiness', 'Ready'), ({ failedChecks }) => (
        failedChecks.length > 0 && toValue(
          `Failed: ${failedChecks.join(', ')}`, element('span', { class: 'bad' }, 'Not ready'),
        )
      )),
      toTile('Version', version),
      createPart('tile', { path: ['user'] }, ({ token }) => (
        toValue('Your session expires', time(token.expiration_date))
      )),
    ),
    createPart('metrics', toProbe('metrics'), createMetrics, ({ status }) => {
      const words = METRICS_REFUSED[status];
      return words && soft(words);
    }),
  );
  // The timer reads only the metrics (the last function in `reads`), because this request needs no token.
  const timer = setInterval(() => document.hidden || reads.at(-1)?.(), REFRESH_MS);
  signal.addEventListener('abort', () => clearInterval(timer));

  /**
   * @type {(kind: string, call: Call, toContent: (body: any) => Child, explain?: (problem: Problem) => Child)
   *   => HTMLElement}
   */
  function createPart(kind, call, toContent, explain) {
    const place = element('div', { class: kind });
    reads.push(createReader({
      place, signal, toCall: () => call, show: ({ body }) => draw(place, toContent(body)), explain,
    }));
    return place;
  }
}

/** @type {(path: string) => Call} */
function toProbe(path) {
  return { path: [path], outside: true, authorization: null };
}

/** @param {string} text - Samples in the text format of Prometheus. */
function createMetrics(text) {
  const samples = [...text.matchAll(/^(\w+)(\{.*\})? (\S+)$/gm)];
  const find = (/** @type {string} */ name, labels = '') => {
    const found = samples.filter((sample) => sample[1] === name && (sample[2] ?? '').includes(labels));
    return found.length === 0 ? undefined : found.reduce((total, [,,, value]) => total + Number(value), 0);
  };
  const started = find('process_start_time_seconds');
  const signIns = (/** @type {string} */ outcome) => find('rollcall_sign_ins_total', outcome) ?? 0;
  return element(
    'div', { class: 'numbers' },
    started !== undefined && toTile('Started', time(new Date(started * 1000).toISOString())),
    toTrend('Memory', find('process_resident_memory_bytes'), toBytes, 'Usually below 200 MiB'),
    toTrend('Database', find('rollcall_database_size_bytes'), toBytes),
    toTrend('Requests', find('http_server_request_duration_seconds_count'), toInteger),
    toTrend('Sign-ins', signIns('password'), toInteger),
    toTrend('Refused sign-ins', signIns('rejected') + signIns('throttled'), toInteger),
    toTrend('Processor time', find('process_cpu_seconds_total'), (seconds) => `${seconds.toFixed(1)} s`),
    toTrend(
      'Event loop delay, 99th percentile', find('nodejs_eventloop_delay_p99_seconds'),
      (seconds) => `${(seconds * 1000).toFixed(1)} ms`, 'Over 50 ms is slow',
    ),
  );
}

/** @type {(label: string, value: Child, ...more: Child[]) => HTMLElement} */
function toTile(label, value, ...more) {
  return element('div', { class: 'tile' }, toValue(label, value), ...more);
}

/**
 * @type {(label: string, value: number | undefined, toText: (value: number) => string, limit?: string) =>
 *   Child}
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

/** The oldest value is at the left, and the least value is at the bottom. */
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

/** @type {(label: string, value: Child) => Child} */
function toValue(label, value) {
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
