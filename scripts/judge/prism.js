/**
 * Lets prism judge every recorded exchange. Prism is a validating proxy in front of a server that gives the
 * recorded answers, byte by byte. The recorded requests are sent through the proxy, and the field
 * `sl-violations` lists how an exchange differs from the document. So prism does not disturb the tests.
 *
 * A fault of an answer is always a complaint. A fault of a request is a complaint only if the service
 * accepted the request: tests send many requests that the service must refuse.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { findReason, readExchanges } from './exchanges.js';
import { findFreePorts } from '../nodes.js';
import { findTool } from '../tools.js';

const HOST = '127.0.0.1';
const NUMBER_FIELD = 'x-recorded-exchange';
const START_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 30_000;

/** @typedef {import('./exchanges.js').Exchange} Exchange */

/** @typedef {{ readonly location: readonly string[], readonly message: string }} Violation */

/**
 * @param {string} folder - The folder of the recordings.
 * @returns {Promise<number>} The number of exchanges with complaints.
 */
export async function judgeExchanges(folder) {
  let complaints = 0;
  for (const { document, basePath, exchanges } of readExchanges(folder)) {
    const byReason = Map.groupBy(exchanges, (exchange) => findReason(exchange, basePath));
    const judged = (byReason.get(undefined) ?? []).map((exchange) => ({
      ...exchange,
      target: exchange.target.slice(basePath.length) || '/', // prism ignores the path of a server
    }));
    complaints += judged.length > 0 ? await judgeBehindProxy(document, judged) : 0;
    byReason.delete(undefined);
    byReason.forEach((left, reason) => console.log(`left out    ${left.length}: ${reason}`));
  }
  return complaints;
}

/**
 * @param {string} document
 * @param {readonly Exchange[]} exchanges
 */
async function judgeBehindProxy(document, exchanges) {
  const origin = createServer((incoming, outgoing) => {
    const exchange = exchanges[Number(incoming.headers[NUMBER_FIELD])];
    if (exchange === undefined) {
      throw new Error('Prism has requested an exchange that was not recorded');
    }
    const { connection, 'keep-alive': _, 'transfer-encoding': __, ...fields } = exchange.headers;
    incoming.resume().on('end', () => {
      outgoing.writeHead(exchange.status, fields).end(Buffer.from(exchange.bytes, 'base64'));
    });
  });
  const [originPort = 0, port = 0] = await findFreePorts(2);
  await once(origin.listen(originPort, HOST), 'listening');
  const prism = spawn(
    process.execPath,
    [
      findTool('prism'), 'proxy', document, `http://${HOST}:${originPort}`,
      '--port', String(port), '--cors=false', '--verboseLevel', 'fatal',
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
    const violations = await judge(port, exchange, number);
    const faults = violations.filter(({ location }) => location[0] !== 'request' || exchange.status < 400);
    if (faults.length > 0) {
      complaints += 1;
      console.log(`COMPLAINT  ${exchange.method} ${exchange.target.slice(0, 200)} ${exchange.status}`);
      faults.forEach(({ location, message }) => console.log(`           ${location.join('.')}: ${message}`));
    }
  }
  const refused = exchanges.filter(({ status }) => status >= 400).length;
  const verdict = complaints === 0 ? 'content  ' : 'COMPLAINT';
  console.log(`${verdict}  prism: ${exchanges.length} exchanges, ${refused} of them of refused requests`);
  return complaints;
}

/**
 * @param {number} port
 * @param {Exchange} exchange
 * @param {number} number
 * @returns {Promise<readonly Violation[]>}
 */
async function judge(port, { method, target, fields, content, status }, number) {
  const headers = { ...fields, [NUMBER_FIELD]: String(number) };
  const outgoing = request({ host: HOST, port, method, path: target, headers, agent: false });
  outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => {
    outgoing.destroy(new Error(`Prism does not answer ${method} ${target}`));
  });
  outgoing.end(content === null ? undefined : Buffer.from(content, 'base64'));
  const [incoming] = await once(outgoing, 'response');
  await once(incoming.resume(), 'end');
  const own = { location: ['prism'], message: `answered ${incoming.statusCode} itself` };
  return [
    ...(incoming.statusCode === status ? [] : [own]),
    ...JSON.parse(String(incoming.headers['sl-violations'] ?? '[]')),
  ];
}

/** @param {number} port */
async function waitFor(port) {
  const endMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      const outgoing = request({ host: HOST, port, headers: { [NUMBER_FIELD]: '0' }, agent: false }).end();
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
