/** Messages to the audio matcher, which each mware instance has, also one that stands by. */
import { z } from 'zod';
import { ask } from './message.ts';

/** What a matcher tells of itself. Shape: documented. */
export const matcherInfoSchema = z.strictObject({
  is_loaded: z.boolean().describe('The matcher has samples to compare with'),
  is_reload_needed: z.boolean().describe('It failed to load its samples'),
  samples_dir: z.string().describe('Folder of the reference samples'),
  jobs_count: z.int().describe('Jobs that run or wait'),
});
export type MatcherInfo = z.infer<typeof matcherInfoSchema>;

export const matcherMessages = {
  'matcher.reload': ask({
    does: 'Starts the audio matcher anew, so that it loads its samples; does not wait until it has.',
    to: ['mware'],
    body: z.strictObject({}),
    reply: z.strictObject({}),
    isForStandbys: true,
  }),
  'matcher.status': ask({
    does: 'Tells whether the audio matcher has its samples.',
    to: ['mware'],
    body: z.strictObject({}),
    reply: matcherInfoSchema,
    isForStandbys: true,
  }),
};
