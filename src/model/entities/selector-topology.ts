/**
 * Who hears whom in a selector meeting, as far as it was set: a row of the domain data that belongs to the meeting and goes
 * with it, with operations of its own. (the path is public, all else chosen)
 */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { namedUuid } from '../uuid.ts';
import { entity, type ItemOf } from './entity.ts';
import { field, uuidSchema } from './field.ts';
import { selector } from './selector.ts';

const wanted = 'expected an object with a list of participant ids for each participant';

/** For each participant those that it hears, by id. */
export const selectorHearsSchema = z.record(
  uuidSchema,
  z.array(uuidSchema, wanted).max(limits.heardPairs, wanted),
  wanted,
);
export type SelectorHears = z.infer<typeof selectorHearsSchema>;

export const selectorTopology = entity({
  kind: 'selectortopology',
  noun: 'topology of a selector meeting',
  nouns: 'topologies of selector meetings',
  path: `${selector.path}/:selector_id/topology`,
  domain: 'any',
  parent: { kind: selector.kind, param: 'selector_id' },
  fields: {
    hears: field(selectorHearsSchema, {
      does: 'For each participant, by id, the ids of the participants that it hears',
    }),
  },
  lookup: [],
  unique: [],
  rule: ({ hears }) => {
    const pairs = Object.values(hears).reduce((sum, heard) => sum + heard.length, 0);
    return pairs > limits.heardPairs
      ? `hears: expected at most ${limits.heardPairs} ids in all, got ${pairs}`
      : undefined;
  },
  operations: {},
});
export type SelectorTopologyItem = ItemOf<typeof selectorTopology>;

/** The id of the one row that a meeting has. */
export function selectorTopologyId(selectorId: string): string {
  return namedUuid(`selector topology ${selectorId}`);
}
