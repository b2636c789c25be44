/**
 * The HTTP server of Node.js. An `import` would also load everything else that `node:http` offers: its client
 * for web sockets alone takes 6 MB of memory, and 50 ms of processor time at each start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
