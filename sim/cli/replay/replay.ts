/** `strowger replay ARTEFACT`: repeats a failed run and compares it byte for byte. */
import { Command } from 'commander';
import { recordingFormat } from '../../embed/recorded/recording-file.ts';
import { refuseOtherKind } from '../../input/file-kind.ts';
import { reportJson } from '../../report/junit.ts';
import { reportText, StepLines } from '../../report/run-text.ts';
import { type Difference, firstDifference, scenarioIn } from '../../scenario/artefact.ts';
import type { RunReport, StepReport } from '../../scenario/report.ts';
import type { RunContext } from '../../scenario/run/context.ts';
import { runScenario } from '../../scenario/run/runner.ts';
import { readText } from '../../topology/load-topology.ts';
import { anyBuildOption, artefactIn, type BuildOptions } from '../inputs.ts';
import { exitCodes, outputArgument } from '../process.ts';
import { makeWorld, PageKeeper } from '../run.ts';
import { replayRecording } from './replay-recording.ts';

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
  if (isRecording(file)) return replayRecording(file, { ...options, report: pageFile, json });
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

const before = 24;
const around = 160;

/** `readyMs`: the world's time when the cluster was ready. */
function differenceText({ line, was, now }: Difference, report: RunReport, readyMs: number): string {
  const from = firstOther(was ?? '', now ?? '');
  const said = (text: string | undefined) =>
    text === undefined ? '(nothing: the run had ended)' : eventText(text, from, readyMs);
  const atMs = Math.min(...[was, now].map((text) => (text === undefined ? Infinity : timeOf(text)))) - readyMs;
  const place = atMs < 0 ? 'before the cluster was ready' : placeIn(report, atMs);
  return [`event ${line} is the first that differs, ${place}`, `  was ${said(was)}`, `  now ${said(now)}`, ''].join(
    '\n',
  );
}

function placeIn({ steps }: RunReport, atMs: number): string {
  const step = steps.find((each) => each.atMs >= atMs);
  return step === undefined ? 'after the last step' : `in step ${step.path ?? step.number}`;
}

/** An event with its time in the report, and the part of its text that differs. */
function eventText(text: string, from: number, readyMs: number): string {
  const said = text.slice(text.indexOf(' ') + 1);
  const start = from - (text.length - said.length);
  const [cut, end] = [Math.max(0, start - around), start + around];
  const shown = `${cut > before ? `${said.slice(0, before)} … ` : said.slice(0, cut)}${said.slice(cut, end)}${end < said.length ? ' …' : ''}`;
  return `${((timeOf(text) - readyMs) / 1_000).toFixed(3)} s  ${shown}`;
}

function timeOf(text: string): number {
  return Number(text.slice(0, text.indexOf(' ')));
}

function firstOther(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** Whether a file is a recording. Throws if it is neither that nor an artefact of a run. */
function isRecording(file: string): boolean {
  const text = readText(file);
  refuseOtherKind(file, text, ['artefact', 'recording']);
  return text.startsWith(`{"format":"${recordingFormat}"`);
}
