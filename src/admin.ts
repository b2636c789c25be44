#!/usr/bin/env node
/** Another way to start the program, as `admin.js COMMAND` is `server.js admin COMMAND`. */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { runCommand } = await import('./programs/commands.ts');
await runCommand(['admin', ...process.argv.slice(2)]);
