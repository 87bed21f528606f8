#!/usr/bin/env node
/** The command line: `strowger COMMAND`. */
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

// The reader of the output may close it early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`strowger: the output cannot be written: ${error.message}\n`, () => process.exit(1));
});

// Node 20 optimizes a function after 66 KB of its bytecode have been executed. Commands run most code a few times only: later takes up to a fifth
// less processor time. Node 22 has another compiler before that one. Its young generation begins small and doubles, and a start fills it a dozen
// times: one that grows at once saves a twentieth. Later versions lose by that.
if (process.versions.node.startsWith('20.'))
  for (const flag of ['--interrupt-budget=500000', '--semi-space-growth-factor=16']) setFlagsFromString(flag);

// Versions of Node that can keep compiled modules between runs load them in half the time.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runCommandLine } = await import('./program.ts');

const { code, hasFailed } = await runCommandLine(process.argv.slice(2));
process.exitCode = code;
// A partly started world must not keep the process alive.
if (hasFailed) process.stderr.write('', () => process.exit());
