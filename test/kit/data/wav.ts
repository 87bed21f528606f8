/** Reads a sound file as a player does, and returns what is audible in it. */
import assert from 'node:assert/strict';

export interface Wav {
  readonly rate: number;
  readonly channels: number;
  readonly ms: number;
  /** Samples of a channel, 0 for the left one. */
  samples(channel: number): Int16Array;
}

/** Throws where a size or a field is not as it has to be. */
export function readWav(bytes: Uint8Array): Wav {
  const file = Buffer.from(bytes);
  assert.equal(file.toString('latin1', 0, 4), 'RIFF');
  assert.equal(file.readUInt32LE(4), file.length - 8);
  assert.equal(file.toString('latin1', 8, 16), 'WAVEfmt ');
  assert.equal(file.readUInt32LE(16), 16);
  assert.equal(file.readUInt16LE(20), 1, 'PCM');
  const channels = file.readUInt16LE(22);
  const rate = file.readUInt32LE(24);
  const bits = file.readUInt16LE(34);
  assert.equal(bits, 16);
  assert.equal(file.readUInt16LE(32), (channels * bits) / 8);
  assert.equal(file.readUInt32LE(28), (rate * channels * bits) / 8);
  assert.equal(file.toString('latin1', 36, 40), 'data');
  const dataBytes = file.readUInt32LE(40);
  assert.equal(dataBytes, file.length - 44);
  const frames = dataBytes / (2 * channels);
  return {
    rate,
    channels,
    ms: (frames * 1_000) / rate,
    samples: (channel) =>
      Int16Array.from({ length: frames }, (_, frame) => file.readInt16LE(44 + 2 * (frame * channels + channel))),
  };
}

/** The pitch of a channel between two moments, in Hz, by its zero crossings; 0 for silence. */
export function pitchOf(wav: Wav, channel: number, [fromMs, toMs]: readonly [number, number] = [0, wav.ms]): number {
  const samples = wav.samples(channel).subarray((fromMs * wav.rate) / 1_000, (toMs * wav.rate) / 1_000);
  let rises = 0;
  for (let at = 1; at < samples.length; at += 1) {
    if ((samples[at - 1] as number) < 0 && (samples[at] as number) >= 0) rises += 1;
  }
  return Math.round((rises * 1_000) / (toMs - fromMs) / 10) * 10;
}
