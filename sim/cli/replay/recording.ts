/** `strowger replay` of a recording: what a test did to a cluster, repeated input by input. */

import type { Input } from '../../embed/recorded/input.ts';
import { readRecording, recordingFormat, repeat } from '../../embed/recorded/recording.ts';
import { readText } from '../../topology/load.ts';
import { virtualStartMs } from '../../world/virtual.ts';
import { type BuildOptions, ofThisBuild } from '../inputs.ts';
import { exitCodes } from '../process.ts';

/** Whether a file is a recording; an artefact of a scenario is none. */
export function isRecording(file: string): boolean {
  return readText(file).startsWith(`{"format":"${recordingFormat}"`);
}

export async function replayRecording(
  file: string,
  { anyBuild, json = false }: BuildOptions & { readonly json?: boolean },
): Promise<void> {
  const recording = ofThisBuild(file, readRecording({ file, text: readText(file) }), anyBuild);
  const { seed, inputs } = recording.snapshot;
  const print = (text: string) => void (json || process.stdout.write(text));
  print(`${recording.failure}\nrecorded inputs, seed ${seed}\n`);
  for (const { atMs, input } of inputs) if (input !== undefined) print(`${lineOf(atMs, input)}\n`);
  const problem = await problemOf(recording);
  const isReproduced = problem === undefined;
  print(isReproduced ? 'reproduced: every event is as it was\n' : `not reproduced: ${problem}\n`);
  const { failure } = recording;
  if (json) process.stdout.write(`${JSON.stringify({ failure, seed, inputs, isReproduced, problem })}\n`);
  process.exitCode = isReproduced ? exitCodes.pass : exitCodes.fail;
}

/** Why the run is another one than the recorded one. */
async function problemOf(recording: Parameters<typeof repeat>[0]): Promise<string | undefined> {
  let repeated: Awaited<ReturnType<typeof repeat>>;
  try {
    repeated = await repeat(recording);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const hash = repeated.world.journal.hash();
  await repeated.stop();
  return hash === recording.traceHash ? undefined : `the trace has the hash ${hash}, expected ${recording.traceHash}`;
}

function lineOf(atMs: number, input: Input): string {
  const seconds = ((atMs - virtualStartMs) / 1_000).toFixed(3).padStart(9);
  return `${seconds} s  ${inputText(input)}`;
}

function inputText({ do: name, ...more }: Input): string {
  if (!('method' in more)) return `${name} ${JSON.stringify(more)}`;
  return `${more.method} ${more.target} through ${more.site}`;
}
