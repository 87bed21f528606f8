/** The port of samples on a real disk: the `.wav` files of a folder. */
import { readdir, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Sample } from '../model/sample.ts';
import { type SampleFolder, sampleExtension } from '../ports/samples.ts';

/** Samples in a folder of this machine: its `.wav` files; other files and folders are no samples. */
export class DiskSamples implements SampleFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async list(): Promise<readonly Sample[]> {
    const files = (await this.#names()).filter((name) => parse(name).ext === sampleExtension).sort();
    const samples = await Promise.all(files.map((file) => this.#sampleOf(file)));
    return samples.filter((sample) => sample !== undefined);
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Undefined if it was deleted meanwhile, or is a folder. */
  async #sampleOf(file: string): Promise<Sample | undefined> {
    try {
      const found = await stat(join(this.path, file));
      return found.isFile()
        ? { name: parse(file).name, bytes: found.size, changedMs: Math.floor(found.mtimeMs) }
        : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
