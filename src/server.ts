#!/usr/bin/env node
/** The program: serves, or runs the command in its arguments. A process that serves loads no commands. */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const programArguments = process.argv.slice(2);
if (programArguments.length === 0) {
  const { serve } = await import('./programs/serve.ts');
  await serve();
} else {
  const { runCommand } = await import('./programs/commands.ts');
  await runCommand(programArguments);
}
