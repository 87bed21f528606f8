/** Files as the interface shows them. */
import { z } from 'zod';

/** An entry of the list of parking files. (documented) */
export const fileEntrySchema = z.object({
  name: z.string(),
  size: z.int(),
  /** `YYYY-MM-DD hh:mm:ss`, UTC. */
  last_modified: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** What came of the files of one request: those that were saved, and why others were not. (chosen) */
export const filesSavedSchema = z.object({
  saved: z.array(fileEntrySchema),
  refused: z.array(z.object({ name: z.string(), error_code: z.int(), error_message: z.string() })),
});
export type FilesSaved = z.infer<typeof filesSavedSchema>;

/** What was kept of an archive. (chosen) */
export const archiveSavedSchema = z.object({ size: z.int(), files: z.int(), last_modified: z.string() });
