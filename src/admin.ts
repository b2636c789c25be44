#!/usr/bin/env node
/** `admin.js COMMAND` does the same as `server.js admin COMMAND`. */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { runCommand } = await import('./extras/admin/commands.ts');
await runCommand(process.argv.slice(2));
