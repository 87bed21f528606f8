/** The simulated port of samples: sound files in memory. */
import type { Sample } from '../../src/model/sample.ts';
import type { SampleFolder } from '../../src/ports/samples.ts';

/** The folder of samples of a simulated platform: those of its topology, and what a test adds or removes. */
export class SimulatedSamples implements SampleFolder {
  readonly path: string;
  readonly #samples = new Map<string, Sample>();

  constructor({ samplesDir, samples }: { readonly samplesDir: string; readonly samples: readonly string[] }) {
    this.path = samplesDir;
    for (const name of samples) this.write({ name, bytes: 8_044, changedMs: 0 });
  }

  list(): Promise<readonly Sample[]> {
    return Promise.resolve([...this.#samples.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  write(sample: Sample): void {
    this.#samples.set(sample.name, sample);
  }

  remove(name: string): void {
    this.#samples.delete(name);
  }
}
