/** `strowger report merge FILE…`: joins the files of a sweep's shards into one report. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { verdictOfAll } from '../sweep/outcome.ts';
import { merged, readRecord } from '../sweep/record.ts';
import { sweepJunit, sweepText } from '../sweep/text.ts';
import { readText } from '../topology/load.ts';
import { exitCodes } from './failure.ts';

export function reportCommand(): Command {
  const merge = new Command('merge')
    .description('Join the outcomes of shards: a table, failures by cause, and on demand JUnit or one joined file.')
    .argument('<files...>', 'sweep*.jsonl files')
    .option('--junit <file>', 'write JUnit XML')
    .option('--out <file>', 'write the outcomes, joined')
    .action(mergeReports);
  return new Command('report').description('Reports of sweeps.').addCommand(merge);
}

function mergeReports(files: string[], { junit, out }: { junit?: string; out?: string }): void {
  for (const file of files) readText(file);
  const outcomes = merged(files.flatMap(readRecord));
  process.stdout.write(sweepText(outcomes));
  if (junit !== undefined) writeFileSync(junit, sweepJunit(outcomes));
  if (out !== undefined) writeFileSync(out, outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
  process.exitCode = exitCodes[verdictOfAll(outcomes)];
}
