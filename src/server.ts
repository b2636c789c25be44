#!/usr/bin/env node
/**
 * Starts the service, `programs/serve.ts`, after checking that this Node.js has everything that the service
 * imports.
 */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const { main } = await import('./programs/serve.ts');
await main(process.argv.slice(2));
