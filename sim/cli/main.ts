#!/usr/bin/env node
/** The command line: `strowger COMMAND`. */
import { runCommandLine } from './program.ts';

// The reader of the output may close it early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { code, hasFailed } = await runCommandLine(process.argv.slice(2));
process.exitCode = code;
// A partly started world must not keep the process alive.
if (hasFailed) process.stderr.write('', () => process.exit());
