/** Runs of scripts as the journal shows them. (chosen) */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';

export const scriptRunSchema = z.strictObject({
  id: z.string().describe('Id of the run'),
  kind: z.string().describe('Kind of the script: `svcscript`'),
  code: z.string().describe('Code of the script'),
  by: z.string().describe('What started it: `exec`, `external`, `token` …'),
  site: z.string().describe('Site that runs it'),
  status: z.enum(['running', 'finished', 'failed']).describe('How far it is'),
  problem: z.string().optional().describe('Why it failed: script, component, field'),
  startts: z.number().describe('When it started, milliseconds since the epoch'),
  endts: z.number().optional().describe('When it ended, milliseconds since the epoch'),
  passed: z.int().describe('Number of components executed'),
});
export type ScriptRun = z.infer<typeof scriptRunSchema>;

export const scriptRunDetailSchema = scriptRunSchema.extend({
  steps: z
    .array(
      z.strictObject({
        at: z.number().describe('When, milliseconds since the epoch'),
        script: z.string().describe('Code of the script'),
        component: z.string().describe('Name of the component'),
        type: z.string().describe('Type of the component'),
        note: z.string().optional().describe('The branch taken, the line of a log, or the nested script'),
      }),
    )
    .describe('The last components executed'),
  variables: z.record(z.string(), z.unknown()).describe('Variables of the script'),
});
export type ScriptRunDetail = z.infer<typeof scriptRunDetailSchema>;

export const scriptRunShape: CollectionShape<ScriptRun> = {
  item: scriptRunSchema,
  defaultOrder: ['startts', 'id'],
  tieBreak: ['id'],
  isCountable: true,
};
