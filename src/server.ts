#!/usr/bin/env node
/** Runs the service, or the command in the arguments. The service does not load the code of commands. */
import { requireSupportedNode } from './runtime.ts';

requireSupportedNode();
const programArguments = process.argv.slice(2);
if (programArguments.length === 0) {
  const { serve } = await import('./programs/serve.ts');
  await serve();
} else {
  const { runCommand } = await import('./extras/admin/commands.ts');
  await runCommand(programArguments);
}
