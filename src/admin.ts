#!/usr/bin/env node
/**
 * The program for accounts and data: see `programs/administer.ts`, which is only loaded under a Node.js that
 * has all that it imports.
 */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { main } = await import('./programs/administer.ts');
await main(process.argv.slice(2));
