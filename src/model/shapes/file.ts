/** Files as the interface shows them. */
import { z } from 'zod';

/** An entry of the list of parking files. (documented) */
export const fileEntrySchema = z.object({
  name: z.string().describe('Name of the file'),
  size: z.int().describe('Size in bytes'),
  last_modified: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    .describe('When the file was last written, as `YYYY-MM-DD hh:mm:ss`, UTC'),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** What came of the files of one request: those that were saved, and why others were not. (chosen) */
export const filesSavedSchema = z.object({
  saved: z.array(fileEntrySchema).describe('Files that were saved'),
  refused: z
    .array(
      z.object({
        name: z.string().describe('Name of the file'),
        error_code: z.int().describe('1000 + the status that a request for this file alone would get'),
        error_message: z.string().describe('Why the file was not saved'),
      }),
    )
    .describe('Files that were not saved; the files of that name stay as they are'),
});
export type FilesSaved = z.infer<typeof filesSavedSchema>;

/** What was kept of an archive. (chosen) */
export const archiveSavedSchema = z.object({
  size: z.int().describe('Size of the archive in bytes'),
  files: z.int().describe('Number of files in the archive'),
  last_modified: z.string().describe('When the archive was uploaded, as `YYYY-MM-DD hh:mm:ss`, UTC'),
});
