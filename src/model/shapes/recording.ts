/** Recordings of a call as the interface shows them: those of each site that has any. (documented) */
import { z } from 'zod';
import { fileNameOf, type Recordings } from '../recording.ts';
import { wavSizeOf } from '../recording-wav.ts';

export const recordingEntrySchema = z.strictObject({
  site: z.string().describe('Site that keeps the files'),
  files: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the file'),
        size: z.int().describe('Size in bytes'),
        _links: z
          .strictObject({
            self: z.strictObject({ href: z.string().describe('Path of the file') }).describe('The file'),
          })
          .describe('Links'),
      }),
    )
    .describe('Recordings of the call at this site'),
});
export type RecordingEntry = z.infer<typeof recordingEntrySchema>;

/** The entry of a site; `base`: the path under which its files are. */
export function recordingEntry(site: string, recordings: Recordings, base: string): RecordingEntry {
  const files = recordings.map((recording) => {
    const name = fileNameOf(recording);
    return { name, size: wavSizeOf(recording), _links: { self: { href: `${base}/${encodeURIComponent(name)}` } } };
  });
  return { site, files };
}
