#!/usr/bin/env node
/**
 * Starts the program, `programs/main.ts`, after checking that this Node.js has everything that the program
 * imports.
 */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { main } = await import('./programs/main.ts');
await main(process.argv.slice(2));
