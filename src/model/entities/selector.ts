/**
 * Selector meetings: conferences with a list of participants, made before they begin. (public) What is kept is what is
 * planned: mware runs them, and `state` tells how they are now.
 */
import { z } from 'zod';
import { entity, type ItemOf } from './entity.ts';
import { field, flag, integer, oneOf, out, text } from './field.ts';

export const selectorStates = ['initing', 'connecting', 'waiting', 'online', 'terminating'] as const;

const wantedTime = 'expected an ISO 8601 time in UTC, such as 2026-01-01T09:00:00Z';

export const selector = entity({
  kind: 'selector',
  noun: 'selector meeting',
  nouns: 'selector meetings',
  path: '/rest/v1/uc/selectors',
  aliases: ['/rest/v1/api/selectors'],
  domain: 'any',
  fields: {
    state: out(oneOf(selectorStates), 'waiting'),
    displayname: text({ initial: '' }),
    enabled: flag({ initial: true }),
    timestartutc: field(z.iso.datetime(wantedTime), { does: 'When it starts; a past time: at once' }),
    calldurationsec: integer({ least: 0, most: 9_800, initial: 0, does: '0: no limit of its own' }),
    calltimeout: integer({ least: 1, most: 300, initial: 35, does: 'How many seconds a participant may ring' }),
    topology_mode: oneOf(['topology', 'abonent', 'direct']),
    mediafile: text({ initial: '' }),
    default_mic: flag({ initial: true }),
    default_spk: flag({ initial: true }),
    default_recall: flag({ initial: false }),
    comment: text({ initial: '' }),
  },
  lookup: [],
  unique: [],
  operations: { create: 'public', list: 'public', get: 'public', patch: 'public', delete: 'public' },
});

export type SelectorItem = ItemOf<typeof selector>;
