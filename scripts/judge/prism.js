/**
 * Has prism judge every recorded exchange. Prism stands as a validating proxy before a server that gives the recorded
 * answers, byte by byte; the recorded requests are sent through it, and it says in `sl-violations` what in request and
 * answer is not as the document has it. So the tests run undisturbed, on connections of their own, and prism sees what they
 * sent and got.
 *
 * A fault of an answer is a complaint, whatever the request was. A fault of a request is one when the service has accepted
 * the request; tests send many on purpose that the service refuses, and rightly so.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { findReason, readExchanges } from './exchanges.js';
import { findJudge } from './fetch.js';

const HOST = '127.0.0.1';
const NUMBER_FIELD = 'x-recorded-exchange';
const START_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 30_000;

/** @typedef {import('./exchanges.js').Exchange} Exchange */

/** @typedef {{ location: string[], severity: string, code?: string | number, message: string }} Violation */

/**
 * @param {string} folder - What was recorded.
 * @returns {Promise<number>} How many exchanges there are complaints about.
 */
export async function judgeExchanges(folder) {
  let complaints = 0;
  for (const { document, basePath, exchanges } of readExchanges(folder)) {
    const reasons = Map.groupBy(exchanges, (exchange) => findReason(exchange, basePath));
    const judged = (reasons.get(undefined) ?? []).map((exchange) => ({
      ...exchange,
      target: exchange.target.slice(basePath.length) || '/',
    })); // prism does not know the path of a server
    complaints += await judgeBehindProxy(document, judged);
    reasons.forEach((left, reason) => reason !== undefined && console.log(`left out    ${left.length}: ${reason}`));
  }
  return complaints;
}

/**
 * @param {string} document
 * @param {readonly Exchange[]} exchanges
 */
async function judgeBehindProxy(document, exchanges) {
  const origin = createServer((incoming, outgoing) => {
    const { status, headers, bytes } =
      exchanges[Number(incoming.headers[NUMBER_FIELD])] ?? fail('prism has asked for nothing that was recorded');
    const { connection, 'keep-alive': _, 'transfer-encoding': __, ...fields } = headers;
    incoming.resume().on('end', () => outgoing.writeHead(status, fields).end(Buffer.from(bytes, 'base64')));
  });
  origin.listen(0, HOST);
  await once(origin, 'listening');
  const port = await findFreePort();
  const prism = spawn(
    process.execPath,
    [
      findJudge('prism'),
      'proxy',
      document,
      `http://${HOST}:${portOf(origin)}`,
      '--port',
      String(port),
      '--cors=false',
      '--verboseLevel',
      'fatal',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const endPrism = () => prism.kill();
  process.once('exit', endPrism);
  try {
    await waitFor(port);
    return await judgeAll(port, exchanges);
  } finally {
    endPrism();
    process.off('exit', endPrism);
    origin.close();
    origin.closeAllConnections();
  }
}

/**
 * @param {number} port
 * @param {readonly Exchange[]} exchanges
 */
async function judgeAll(port, exchanges) {
  let complaints = 0;
  for (const [number, exchange] of exchanges.entries()) {
    const faults = (await judge(port, exchange, number)).filter(
      ({ location }) => location[0] !== 'request' || exchange.status < 400,
    );
    if (faults.length > 0) {
      complaints += 1;
      console.log(`COMPLAINT  ${exchange.method} ${exchange.target.slice(0, 200)} ${exchange.status}`);
      faults.forEach(({ location, message }) => console.log(`           ${location.join('.')}: ${message}`));
    }
  }
  const refused = exchanges.filter(({ status }) => status >= 400).length;
  console.log(
    `${complaints === 0 ? 'content  ' : 'COMPLAINT'}  prism: ${exchanges.length} exchanges, ${refused} of them of requests that were refused`,
  );
  return complaints;
}

/**
 * @param {number} port
 * @param {Exchange} exchange
 * @param {number} number
 * @returns {Promise<readonly Violation[]>}
 */
function judge(port, { method, target, fields, content, status }, number) {
  return new Promise((resolve, reject) => {
    const headers = { ...fields, [NUMBER_FIELD]: String(number) };
    const outgoing = request({ host: HOST, port, method, path: target, headers, agent: false }, (incoming) => {
      const own =
        incoming.statusCode === status
          ? []
          : [{ location: ['prism'], severity: 'Error', message: `answered ${incoming.statusCode} itself` }];
      const violations = incoming.headers['sl-violations'];
      incoming.resume().on('end', () => resolve([...own, ...(violations === undefined ? [] : JSON.parse(String(violations)))]));
    });
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => outgoing.destroy(new Error(`Prism does not answer ${method} ${target}`)));
    outgoing.on('error', reject);
    outgoing.end(content === null ? undefined : Buffer.from(content, 'base64'));
  });
}

/** @param {number} port */
async function waitFor(port) {
  const endMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      const outgoing = request({ host: HOST, port, path: '/', headers: { [NUMBER_FIELD]: '0' }, agent: false }).end();
      const [incoming] = await once(outgoing, 'response');
      incoming.resume();
      return;
    } catch (error) {
      if (Date.now() > endMs) {
        throw error;
      }
      await pause(100);
    }
  }
}

async function findFreePort() {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  return port;
}

/** @param {import('node:http').Server} server */
function portOf(server) {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : fail('no port');
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  throw new Error(message);
}
