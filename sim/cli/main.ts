#!/usr/bin/env node
/** The command line: `strowger COMMAND`. */
import { CommanderError } from 'commander';
import { exitCodes, reportFailure } from './process.ts';
import { newProgram } from './program.ts';

const program = newProgram();

// The reader of the output may close it early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  else {
    process.exitCode = reportFailure(error, { debug: program.opts<{ debug?: boolean }>().debug === true });
    // A world that half started must not keep the process.
    process.stderr.write('', () => process.exit());
  }
}
