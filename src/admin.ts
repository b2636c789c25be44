#!/usr/bin/env node
/**
 * Another door to the program: `admin.js COMMAND` is `server.js admin COMMAND`.
 */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { main } = await import('./programs/main.ts');
await main(['admin', ...process.argv.slice(2)]);
