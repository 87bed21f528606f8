/** The folder of reference samples that an audio matcher compares announcements with. */

import type { Sample } from '../model/sample.ts';

export interface SampleFolder {
  /** As the status of the matcher shows it. */
  readonly path: string;
  /** The samples on disk, by name. Rejects when the folder cannot be read; a folder that does not exist is empty. */
  list(): Promise<readonly Sample[]>;
}

/** Extension of the files that are samples. */
export const sampleExtension = '.wav';
