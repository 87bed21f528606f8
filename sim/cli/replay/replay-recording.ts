/** `strowger replay RECORDING`: repeats what a failed test did to its cluster. */
import { basename } from 'node:path';
import type { Input } from '../../embed/recorded/input.ts';
import { RecordedWorld } from '../../embed/recorded/recorded-world.ts';
import { type Recording, readRecording } from '../../embed/recorded/recording-file.ts';
import { quoted, Recorder } from '../../report/html/recorder.ts';
import { platformIn } from '../../scenario/artefact.ts';
import type { Failure, RunReport, StepReport } from '../../scenario/report.ts';
import { readText } from '../../topology/load-topology.ts';
import { type VirtualWorld, virtualStartMs } from '../../world/virtual.ts';
import { type BuildOptions, ofThisBuild } from '../inputs.ts';
import { exitCodes } from '../process.ts';
import { makerText, PageKeeper } from '../run.ts';

interface ReplayRecordingOptions extends BuildOptions {
  /** The file of the page. */
  readonly report?: string | undefined;
  readonly json?: boolean;
}

export async function replayRecording(
  file: string,
  { anyBuild, report: pageFile, json = false }: ReplayRecordingOptions,
): Promise<void> {
  const recording = ofThisBuild(file, readRecording({ file, text: readText(file) }), anyBuild);
  const { seed, inputs } = recording.snapshot;
  const print = (text: string) => void (json || process.stdout.write(text));
  print(`${recording.failure}\nrecorded inputs, seed ${seed}\n`);
  for (const { atMs, input } of inputs) if (input !== undefined) print(`${lineOf(atMs, input)}\n`);
  const page = new PageKeeper(pageFile);
  const problem = await problemOf(file, recording, page);
  await page.write();
  const isReproduced = problem === undefined;
  print(isReproduced ? 'reproduced: every event is as it was\n' : `not reproduced: ${problem}\n`);
  const { failure } = recording;
  if (json) process.stdout.write(`${JSON.stringify({ failure, seed, inputs, isReproduced, problem })}\n`);
  process.exitCode = isReproduced ? exitCodes.pass : exitCodes.fail;
}

/** Why the run is another one than the recorded one. Its page is kept in both cases. */
async function problemOf(file: string, recording: Recording, page: PageKeeper): Promise<string | undefined> {
  const { oracles, snapshot, traceHash } = recording;
  const { seed } = snapshot;
  let recorder: Recorder | undefined;
  let world: VirtualWorld | undefined;
  const onWorld = (made: VirtualWorld) => {
    world = made;
    if (page.isWanted) recorder = recorderOf(made, recording);
  };
  let repeated: RecordedWorld | undefined;
  let problem: string | undefined;
  try {
    repeated = await RecordedWorld.start({ loaded: platformIn(recording), seed, oracles, onWorld }, snapshot);
    const hash = repeated.world.journal.hash();
    if (hash !== traceHash) problem = `the trace has the hash ${hash}, expected ${traceHash}`;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const untilMs = world?.now() ?? virtualStartMs;
  const report = reportOf(file, recording, { problem, untilMs, watch: repeated?.watch });
  const about = { scenario: { name: report.name, why: recording.failure }, source: { file } };
  const again = `npx strowger replay ${quoted(file)}`;
  if (recorder !== undefined)
    page.keep('fail', recorder.finish(about, { report, readyMs: virtualStartMs, maker: makerText(), again }));
  await repeated?.stop();
  return problem;
}

/** Messages around the inputs are kept with preference. */
function recorderOf(world: VirtualWorld, { snapshot: { inputs } }: Recording): Recorder {
  const recorder = new Recorder(world);
  for (const { atMs } of inputs) recorder.step(atMs);
  return recorder;
}

interface Repeated {
  readonly problem: string | undefined;
  readonly untilMs: number;
  /** Absent if the replay failed. */
  readonly watch: RecordedWorld['watch'] | undefined;
}

/** The report of a test: its inputs are the steps, and why it failed is a failure after the last of them. */
function reportOf(
  file: string,
  { failure, traceHash, snapshot: { seed, inputs } }: Recording,
  { problem, untilMs, watch }: Repeated,
): RunReport {
  const since = (atMs: number) => atMs - virtualStartMs;
  const steps = inputs
    .flatMap(({ atMs, input }) => (input === undefined ? [] : [{ atMs: since(atMs), what: inputText(input) }]))
    .map((step, i): StepReport => ({ ...step, number: i + 1, isExpectation: false, failures: [] }));
  const end = { step: steps.length + 1, atMs: since(untilMs) };
  const oracles = (watch?.verdicts() ?? []).map((oracle) => ({
    ...oracle,
    failures: oracle.failures.map(({ atMs, what }) => ({ atMs: since(atMs), what })),
  }));
  const broken = oracles.flatMap(({ name, failures: [first] }): Failure[] =>
    first === undefined ? [] : [{ kind: 'oracle', name, step: end.step, atMs: first.atMs, text: first.what }],
  );
  const another = problem === undefined ? [] : [{ name: 'the replay', text: `not reproduced: ${problem}` }];
  const failures = [{ name: 'the test', text: failure }, ...another].map(
    (each): Failure => ({
      kind: 'step',
      ...each,
      ...end,
    }),
  );
  return {
    name: basename(file).replace(/\.strowger\.json$/, ''),
    mode: 'virtual',
    seed,
    verdict: 'fail',
    steps,
    stepCount: steps.length,
    traceHash,
    failures: [...failures, ...broken],
    unproved: [],
    durationMs: end.atMs,
    oracles,
    sometimes: [],
    eventually: [],
    promises: [],
    workload: [],
  };
}

function lineOf(atMs: number, input: Input): string {
  const seconds = ((atMs - virtualStartMs) / 1_000).toFixed(3).padStart(9);
  return `${seconds} s  ${inputText(input)}`;
}

function inputText({ do: name, ...more }: Input): string {
  if (!('method' in more)) return `${name} ${JSON.stringify(more)}`;
  return `${more.method} ${more.target} through ${more.site}`;
}
