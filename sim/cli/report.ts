/** `strowger report merge FILE…`: merges the files of a sweep's shards into one report. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { refuseOtherKind } from '../input/file-kind.ts';
import { merged, readRecord, type SeedOutcome, verdictOfAll } from '../sweep/outcome.ts';
import { sweepJson, sweepJunit, sweepText } from '../sweep/sweep-text.ts';
import { readText } from '../topology/load-topology.ts';
import { exitCodes, outputArgument } from './process.ts';

export function reportCommand(): Command {
  const merge = new Command('merge')
    .description('Merge the outcomes of shards: a table, failures by cause, optionally JUnit or one file.')
    .argument('<files...>', 'sweep*.jsonl files')
    .option('--json', 'print the report as JSON; missing seeds are listed on standard error')
    .option('--junit <file>', 'write JUnit XML', outputArgument('--junit'))
    .option('--out <file>', 'write the merged outcomes', outputArgument('--out'))
    .action(mergeReports);
  return new Command('report').addCommand(merge);
}

interface MergeOptions {
  readonly json?: boolean;
  readonly junit?: string;
  readonly out?: string;
}

function mergeReports(files: string[], { json = false, junit, out }: MergeOptions): void {
  const outcomes = merged(ofOneSource(files.flatMap(outcomesIn)));
  const missing = missingSeeds(outcomes);
  process.stdout.write(json ? sweepJson(outcomes) : sweepText(outcomes) + missing);
  if (json) process.stderr.write(missing);
  if (junit !== undefined) writeFileSync(junit, sweepJunit(outcomes));
  if (out !== undefined) writeFileSync(out, outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
  const verdict = verdictOfAll(outcomes);
  process.exitCode = exitCodes[verdict === 'pass' && missing !== '' ? 'unknown' : verdict];
}

function outcomesIn(file: string): SeedOutcome[] {
  const text = readText(file);
  const outcomes = readRecord(file);
  if (outcomes.length === 0) refuseOtherKind(file, text, ['outcomes']);
  if (outcomes.length === 0) throw new Error(`${file}: expected outcomes of a sweep, a line each, and there are none`);
  return outcomes;
}

/** The outcomes of the last version of each scenario and the last build; older ones do not count. */
function ofOneSource(outcomes: readonly SeedOutcome[]): SeedOutcome[] {
  const last = new Map(outcomes.map((outcome) => [outcome.scenario, versionOf(outcome)] as const));
  const own = outcomes.filter((outcome) => last.get(outcome.scenario) === versionOf(outcome));
  const others = outcomes.length - own.length;
  if (others > 0)
    process.stderr.write(`${others} runs of other builds, or of what has been edited since, do not count\n`);
  return own;
}

function versionOf({ build, source }: SeedOutcome): string {
  return `${build} ${source}`;
}

/** Missing seeds between others: a shard is missing or incomplete. */
function missingSeeds(outcomes: readonly SeedOutcome[]): string {
  const names = [...new Set(outcomes.map(({ scenario }) => scenario))];
  return names
    .map((name) => {
      const seeds = new Set(outcomes.filter(({ scenario }) => scenario === name).map(({ seed }) => seed));
      const [first, last] = [[...seeds][0] ?? 0, [...seeds].at(-1) ?? 0];
      const missing = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((seed) => !seeds.has(seed));
      const shown = missing.slice(0, 10).join(', ');
      const more = missing.length > 10 ? ' …' : '';
      return missing.length === 0 ? '' : `\n${name}: ${missing.length} seeds were not run: ${shown}${more}\n`;
    })
    .join('');
}
