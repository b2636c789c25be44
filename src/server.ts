#!/usr/bin/env node
/**
 * The program that serves: see `programs/serve.ts`, which is only loaded under a Node.js that has all
 * that it imports.
 */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { main } = await import('./programs/serve.ts');
await main(process.argv.slice(2));
