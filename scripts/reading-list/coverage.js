/**
 * Counts how often a server calls each of its functions (V8's precise coverage, through `node:inspector`).
 * The measured server loads this file before its own code. After the signal SIGUSR2, the server sends a
 * report, which counts the calls since the previous report. This file stops the clock and the periodic work
 * of the server. Otherwise, a busy machine could change which functions are called.
 */
import { Session } from 'node:inspector';

const { setInterval } = globalThis;
Object.assign(globalThis, { setInterval: () => setInterval(() => {}, 60_000) });
performance.now = () => 0;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (error, report) => process.send?.(error ?? report.result));
});
