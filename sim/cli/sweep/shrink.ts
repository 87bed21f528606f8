/** `strowger shrink ARTEFACT`: reduces a failed run to the smallest scenario file that fails in the same way. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { makeFolders } from '../../data/make-folders.ts';
import { counted } from '../../report/run-text.ts';
import { scenarioIn } from '../../scenario/artefact.ts';
import { leavesIn } from '../../scenario/language/steps.ts';
import { type Shrunk, shrink } from '../../shrink/shrinker.ts';
import { anyBuildOption, artefactIn, type BuildOptions } from '../inputs.ts';
import { exitCodes, integerArgument, outputFolderArgument, refuseFolders, stoppedBySignal } from '../process.ts';
import { ProgressLine } from '../progress.ts';

export function shrinkCommand(): Command {
  return new Command('shrink')
    .argument('<artefact>', 'file written by `sweep` or `run --artefacts`')
    .option('--out <folder>', 'folder for the scenario', outputFolderArgument('--out'), '.')
    .option(
      '--seconds <number>',
      'stop after this time and write the smallest scenario found so far; Ctrl-C does the same',
      integerArgument('--seconds', 1, 86_400),
      120,
    )
    .option('--json', 'print the result as JSON')
    .addOption(anyBuildOption())
    .action(run);
}

interface ShrinkOptions extends BuildOptions {
  readonly out: string;
  readonly seconds: number;
  readonly json?: boolean;
}

async function run(file: string, { out, seconds, json = false, ...options }: ShrinkOptions): Promise<void> {
  const artefact = artefactIn(file, options);
  const loaded = scenarioIn(artefact);
  const name = `${loaded.scenario.name}-shrunk`;
  refuseFolders('--out', Object.values(filesOf(out, name)));
  const progress = new ProgressLine();
  const endMs = performance.now() + seconds * 1_000;
  const stopped = stoppedBySignal();
  const isEnough = () => stopped.aborted || performance.now() > endMs;
  const shrunk = await shrink(loaded, { seed: artefact.seed, onProgress: (text) => progress.tell(text), isEnough });
  progress.end(`${counted(shrunk.steps, 'step')} after ${counted(shrunk.runs, 'run')}`);
  const written = write(shrunk, { out, name });
  const from = leavesIn(loaded.scenario.steps).length;
  process.stdout.write(json ? jsonOf(shrunk, from, written) : textOf(shrunk, from, written));
  if (!isEnough()) return;
  const why = stopped.aborted ? 'stopped' : `${seconds} s are over (--seconds)`;
  process.stderr.write(`${why}: it may become smaller still\n`);
  if (stopped.aborted) process.exitCode = exitCodes.stopped;
}

function textOf(shrunk: Shrunk, from: number, written: readonly string[]): string {
  const { steps, runs, failure, passes, needsNoFault, chain, faultPoints } = shrunk;
  const became = `${counted(from, 'step')} became ${steps}, in ${counted(runs, 'run')}`;
  const fired = Object.entries(faultPoints).map(([point, count]) => `${point} (${count})`);
  const chance = fired.length === 0 ? '' : `fault points that fired: ${fired.join(', ')}\n`;
  const neighbour = passes === undefined ? '' : `it passes ${passes}\n`;
  const alone = needsNoFault ? 'no fault is left: it fails without any\n' : '';
  const causes = chain.map((line) => `  ${line}\n`).join('');
  const because = causes === '' ? '' : `because, from the last event back:\n${causes}`;
  return `${became}; it fails with\n  ${failure}\n${because}${alone}${chance}${neighbour}written: ${written.join(', ')}\n`;
}

function jsonOf(shrunk: Shrunk, stepsBefore: number, written: readonly string[]): string {
  const { steps, runs, failure, passes, needsNoFault, chain, faultPoints } = shrunk;
  return `${JSON.stringify({ stepsBefore, steps, runs, failure, passes, needsNoFault, chain, faultPoints, written })}\n`;
}

/** The scenario, its topology where that is a smaller one, and a test that fails as long as the scenario does. */
function write({ scenario, topology, hasOwnTopology }: Shrunk, { out, name }: { out: string; name: string }): string[] {
  makeFolders(out);
  const renamed = scenario
    .replace(/^name: .*$/m, `name: ${name}`)
    .replace(/^topology: .*$/m, hasOwnTopology ? `topology: ./${name}.topology.yaml` : '$&');
  const named =
    /^topology:/m.test(renamed) || !hasOwnTopology ? renamed : `${renamed}topology: ./${name}.topology.yaml\n`;
  const at = filesOf(out, name);
  const files: [string, string][] = [
    [at.scenario, named],
    [at.test, testText(name)],
    ...(hasOwnTopology ? [[at.topology, topology] as [string, string]] : []),
  ];
  for (const [file, text] of files) writeFileSync(file, text);
  return files.map(([file]) => file);
}

function filesOf(out: string, name: string) {
  const file = (end: string) => join(out, `${name}${end}`);
  return { scenario: file('.yaml'), test: file('.test.mjs'), topology: file('.topology.yaml') };
}

function testText(name: string): string {
  return `// Fails until the scenario beside it passes: node --test ${name}.test.mjs, in a project that has strowger installed.
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import assert from 'node:assert';
import { fileURLToPath } from 'node:url';

test('${name}', () => {
  const file = fileURLToPath(new URL('./${name}.yaml', import.meta.url));
  const strowger = fileURLToPath(new URL('dist/cli/main.js', import.meta.resolve('strowger/package.json')));
  const { status, stdout, stderr } = spawnSync(process.execPath, [strowger, 'run', file], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});
`;
}
