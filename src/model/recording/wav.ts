/** WAV files: 8 kHz, 16 bit PCM. */

export const wavRate = 8_000;
export const wavHeaderBytes = 44;
const sampleBytes = 2;
const loudness = 0.25 * 0x7fff;

export function wavHeader(channels: number, dataBytes: number): Uint8Array {
  const header = Buffer.alloc(wavHeaderBytes);
  const frameBytes = channels * sampleBytes;
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(wavHeaderBytes - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  // Length of the format chunk; PCM; channels.
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(wavRate, 24);
  header.writeUInt32LE(wavRate * frameBytes, 28);
  header.writeUInt16LE(frameBytes, 32);
  header.writeUInt16LE(8 * sampleBytes, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** The sample of a tone at a frame. */
export function toneSample(hertz: number, frame: number): number {
  return Math.round(loudness * Math.sin((2 * Math.PI * hertz * frame) / wavRate));
}

/** A mono file with one tone. */
export function toneWav({ hertz, ms }: { readonly hertz: number; readonly ms: number }): Uint8Array {
  const frames = Math.round((ms * wavRate) / 1_000);
  const data = Buffer.alloc(frames * sampleBytes);
  for (let frame = 0; frame < frames; frame += 1) data.writeInt16LE(toneSample(hertz, frame), frame * sampleBytes);
  return Buffer.concat([wavHeader(1, data.length), data]);
}
