/**
 * A recording is one file with everything that another machine needs to repeat what a test did to a cluster: topology,
 * seed, inputs, and the hash of the trace to compare with. `strowger replay` runs it.
 */
import { z } from 'zod';
import { platformFields, platformIn, platformOf } from '../../scenario/artefact.ts';
import { ownBuildInfo } from '../../scenario/build-info.ts';
import { digestOf, readSealed } from '../../scenario/sealed.ts';
import type { SourceFile } from '../../topology/load-topology.ts';
import { snapshotSchema } from './input.ts';
import { RecordedWorld, type RecordedWorldOptions } from './recorded-world.ts';

export const recordingFormat = 'strowger-recording-1';

const recordingSchema = z.strictObject({
  format: z.literal(recordingFormat),
  version: z.string(),
  build: z.string(),
  ...platformFields,
  oracles: z.union([z.literal('all'), z.array(z.string())]),
  /** The reason why it was kept. */
  failure: z.string(),
  snapshot: snapshotSchema,
  traceHash: z.string(),
  /** Digest of all other fields. */
  digest: z.string(),
});
export type Recording = z.infer<typeof recordingSchema>;

/** The recording of a world up to now. @internal */
export function recordingOf(
  options: RecordedWorldOptions,
  { snapshot, world }: RecordedWorld,
  failure: string,
): Recording {
  const { loaded, oracles } = options;
  const recording: Omit<Recording, 'digest'> = {
    format: recordingFormat,
    ...ownBuildInfo(),
    ...platformOf(loaded),
    oracles: oracles === 'all' ? oracles : [...oracles],
    failure,
    snapshot,
    traceHash: world.journal.hash(),
  };
  return { ...recording, digest: digestOf(recording) };
}

/** Parses a recording. Throws a one-line error if the text is not a valid one. @internal */
export function readRecording(source: SourceFile): Recording {
  return readSealed(source, recordingSchema, 'a recording');
}

/** Repeats a recording. Rejects if the run differs from it. @internal */
export function repeat(recording: Recording): Promise<RecordedWorld> {
  const { oracles, snapshot } = recording;
  return RecordedWorld.start({ loaded: platformIn(recording), seed: snapshot.seed, oracles }, snapshot);
}
