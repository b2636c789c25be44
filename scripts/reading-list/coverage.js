/**
 * Loaded into a server before its own code: counts the calls of every function, and reports on SIGUSR2, which
 * the server does not use. Each report counts the calls since the last one (V8's precise coverage, through
 * `node:inspector`). No time passes and no housekeeping runs, so a busy machine enters the same functions.
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
