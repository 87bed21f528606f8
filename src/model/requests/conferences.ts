/** The bodies of requests about conferences. (`to` documented, the topology chosen) */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { numberSchema } from './calls.ts';

/** Calls a number from a conference. */
export const participantBodySchema = z.strictObject({ to: numberSchema.describe('Number to call') });

const hearsWanted = 'expected an object with an array of participant ids for each participant';

/** Who hears whom from now on. */
export const topologyBodySchema = z.strictObject({
  hears: z
    .record(z.string(), z.array(z.string(hearsWanted), hearsWanted).max(limits.participants, hearsWanted), hearsWanted)
    .describe('For each participant, by id, the ids of the participants that it hears'),
});
