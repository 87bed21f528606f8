/** `strowger replay ARTEFACT`: repeats a failed run and compares it byte for byte. */
import { Command } from 'commander';
import { differenceText } from '../../report/difference.ts';
import { reportText, StepLines } from '../../report/text.ts';
import { firstDifference, scenarioIn } from '../../scenario/artefact.ts';
import type { StepReport } from '../../scenario/report.ts';
import type { RunContext } from '../../scenario/run/context.ts';
import { runScenario } from '../../scenario/run/runner.ts';
import { anyBuildOption, artefactIn, type BuildOptions } from '../inputs.ts';
import { exitCodes, outputArgument } from '../process.ts';
import { makeWorld, PageKeeper } from '../run.ts';
import { isRecording, replayRecording } from './recording.ts';

export function replayCommand(): Command {
  return new Command('replay')
    .description('Run an artefact again. Exit code 0: every event is the same, the failure included; 1: not.')
    .argument('<artefact>', 'file written by `sweep`, `run --artefacts` or a failed test')
    .addOption(anyBuildOption())
    .option('--report <file>', 'write an HTML page of the run, which opens from disk', outputArgument('--report'))
    .action(replay);
}

interface ReplayOptions extends BuildOptions {
  readonly report?: string;
}

async function replay(file: string, { report: pageFile, ...options }: ReplayOptions): Promise<void> {
  if (isRecording(file)) return replayRecording(file, options);
  const artefact = artefactIn(file, options);
  const { seed } = artefact;
  const loaded = scenarioIn(artefact);
  const world = makeWorld(loaded, { mode: 'virtual', seed, keepJournal: true });
  const page = new PageKeeper(pageFile);
  const keeping = page.begin(loaded, world);
  process.stdout.write(`${loaded.scenario.name}, replayed, seed ${seed}\n`);
  const lines = new StepLines();
  const onStep = (step: StepReport) => {
    keeping.step();
    process.stdout.write(lines.add(step));
  };
  let readyMs = 0;
  const onReady = (stage: RunContext) => {
    readyMs = world.now() - stage.atMs;
    keeping.ready(readyMs);
  };
  const report = await runScenario(loaded.scenario, world, { seed, onStep, onReady, onEnd: () => keeping.over() });
  keeping.done(report);
  await page.write();
  process.stdout.write(`${lines.rest()}${reportText(report)}`);
  const difference = firstDifference(artefact, world.journal.lines);
  if (difference === undefined) process.stdout.write('reproduced: every event is as it was\n');
  else process.stdout.write(`not reproduced: ${differenceText(difference, report, readyMs)}`);
  process.exitCode = difference === undefined ? exitCodes.pass : exitCodes.fail;
}
