/**
 * The sound file of a recording: WAV, 8 kHz, 16 bit PCM, stereo, side a left and side b right. Each side that is heard is a
 * tone of its own, and silent while it is on hold. Any part of the file can be made without the rest. (chosen)
 */
import { type CallRecording, lengthMsOf } from './recording.ts';
import { toneSample, wavHeader, wavHeaderBytes, wavRate } from './wav.ts';

const channels = 2;
const frameBytes = 4;
const bytesPerMs = (wavRate / 1_000) * frameBytes;
/** Bytes that are made at once. */
const pieceBytes = 64 * 1024;
/** The most that a header can speak of; far more than the longest call. */
const mostMs = Math.floor((0xffff_ffff - wavHeaderBytes) / bytesPerMs);

/** Pitch of each side, in Hz. */
export const tones = { a: 400, b: 500 } as const;

/** After so many frames both tones begin anew: 10 ms. */
const periodFrames = 80;
const periodBytes = periodFrames * frameBytes;

/** Size of the file in bytes. */
export function wavSizeOf(recording: CallRecording): number {
  return wavHeaderBytes + dataBytesOf(recording);
}

/** The bytes of the file from `from` up to, and without, `to`, in pieces. */
export function* wavBytesOf(recording: CallRecording, from: number, to: number): Generator<Uint8Array> {
  const end = Math.min(to, wavSizeOf(recording));
  if (from < wavHeaderBytes && from < end)
    yield wavHeader(channels, dataBytesOf(recording)).subarray(from, Math.min(end, wavHeaderBytes));
  for (const { from: begin, to: limit, sound } of stretchesOf(recording)) {
    const last = Math.min(end, limit);
    for (let at = Math.max(from, begin); at < last; at += pieceBytes)
      yield soundOf(sound, at, Math.min(last, at + pieceBytes));
  }
}

function dataBytesOf(recording: CallRecording): number {
  return Math.min(lengthMsOf(recording), mostMs) * bytesPerMs;
}

interface Stretch {
  /** Bytes of the file. */
  readonly from: number;
  readonly to: number;
  readonly sound: Buffer;
}

/** The parts of a recording in which the same sides are heard. */
function stretchesOf(recording: CallRecording): Stretch[] {
  const end = wavSizeOf(recording);
  const offsetOf = (atMs: number) => Math.min(end, wavHeaderBytes + atMs * bytesPerMs);
  return recording.heard.map(([atMs, a, b], index) => ({
    from: offsetOf(atMs),
    to: offsetOf(recording.heard[index + 1]?.[0] ?? mostMs),
    sound: sounds[(a ? 1 : 0) + (b ? 2 : 0)] as Buffer,
  }));
}

/** A piece of a sound that has begun with the file. */
function soundOf(sound: Buffer, from: number, to: number): Uint8Array {
  const piece = Buffer.allocUnsafe(to - from);
  const start = (from - wavHeaderBytes) % periodBytes;
  for (let at = 0, skip = start; at < piece.length; skip = 0) at += sound.copy(piece, at, skip);
  return piece;
}

/** Silence, side a, side b, both: enough periods of each to be copied in large parts. */
const sounds: readonly Buffer[] = [0, 1, 2, 3].map((sides) => {
  const period = Buffer.alloc(periodBytes);
  for (let frame = 0; frame < periodFrames; frame += 1) {
    if (sides & 1) period.writeInt16LE(toneSample(tones.a, frame), frame * frameBytes);
    if (sides & 2) period.writeInt16LE(toneSample(tones.b, frame), frame * frameBytes + 2);
  }
  return Buffer.concat(Array.from({ length: 25 }, () => period));
});
