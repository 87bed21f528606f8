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
    state: out(
      oneOf(selectorStates, {
        does: '`waiting`: not started; `initing`: starting; `connecting`: participants are being called; `online`; `terminating`',
      }),
      'waiting',
    ),
    displayname: text({ initial: '', does: 'Name to show' }),
    enabled: flag({ initial: true, does: 'Whether the meeting starts at its time' }),
    timestartutc: field(z.iso.datetime(wantedTime), { does: 'Start time, ISO 8601 UTC; a past time: at once' }),
    calldurationsec: integer({
      least: 0,
      most: 9_800,
      initial: 0,
      does: 'Longest duration in seconds; 0: no limit but the 9800 s of the platform',
    }),
    calltimeout: integer({ least: 1, most: 300, initial: 35, does: 'Seconds that a participant may ring' }),
    topology_mode: oneOf(['topology', 'abonent', 'direct'], {
      does: 'Layout of the meeting for user interfaces',
    }),
    mediafile: text({ initial: '', does: 'Sound file of the meeting; empty: none' }),
    default_mic: flag({ initial: true, does: 'Value of `mic` for new participants, for user interfaces' }),
    default_spk: flag({ initial: true, does: 'Value of `spk` for new participants, for user interfaces' }),
    default_recall: flag({ initial: false, does: 'Value of `recall` for new participants, for user interfaces' }),
    comment: text({ initial: '', does: 'Comment, for people' }),
  },
  lookup: [],
  unique: [],
  operations: { create: 'public', list: 'public', get: 'public', patch: 'public', delete: 'public' },
});

export type SelectorItem = ItemOf<typeof selector>;
