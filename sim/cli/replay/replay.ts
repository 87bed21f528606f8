/** `strowger replay ARTEFACT`: repeats a failed run and compares it byte for byte. */
import { Command } from 'commander';
import { differenceText } from '../../report/difference.ts';
import { reportJson } from '../../report/junit.ts';
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
    .argument('<artefact>', 'file written by `sweep`, `run --artefacts` or a failed test')
    .addOption(anyBuildOption())
    .option('--json', 'print the report of the run, whether it was reproduced, and the first difference as JSON')
    .option('--report <file>', 'write an HTML page of the run, which opens from disk', outputArgument('--report'))
    .action(replay);
}

interface ReplayOptions extends BuildOptions {
  readonly report?: string;
  readonly json?: boolean;
}

async function replay(file: string, { report: pageFile, json = false, ...options }: ReplayOptions): Promise<void> {
  if (isRecording(file)) return replayRecording(file, { ...options, json });
  const artefact = artefactIn(file, options);
  const { seed } = artefact;
  const loaded = scenarioIn(artefact);
  const world = makeWorld(loaded, { mode: 'virtual', seed, keepJournal: true });
  const page = new PageKeeper(pageFile);
  const keeping = page.begin(loaded, world);
  const print = (text: string) => void (json || process.stdout.write(text));
  print(`${loaded.scenario.name}, replayed, seed ${seed}\n`);
  const lines = new StepLines();
  const onStep = (step: StepReport) => {
    keeping.step();
    print(lines.add(step));
  };
  let readyMs = 0;
  const onReady = (stage: RunContext) => {
    readyMs = world.now() - stage.atMs;
    keeping.ready(readyMs);
  };
  const report = await runScenario(loaded.scenario, world, { seed, onStep, onReady, onEnd: () => keeping.over() });
  keeping.done(report);
  await page.write();
  print(`${lines.rest()}${reportText(report)}`);
  const difference = firstDifference(artefact, world.journal.lines);
  const isReproduced = difference === undefined;
  if (json) process.stdout.write(reportJson(report, { isReproduced, difference }));
  else if (isReproduced) print('reproduced: every event is as it was\n');
  else print(`not reproduced: ${differenceText(difference, report, readyMs)}`);
  process.exitCode = isReproduced ? exitCodes.pass : exitCodes.fail;
}
