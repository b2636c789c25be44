#!/usr/bin/env node
/**
 * Starts the program for accounts and data, `programs/administer.ts`, after checking that this Node.js has
 * everything that the program imports.
 */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { main } = await import('./programs/administer.ts');
await main(process.argv.slice(2));
