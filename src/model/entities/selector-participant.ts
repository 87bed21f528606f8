/** Participants of selector meetings. (documented; `assistant`, `speaker` and what is set by whom public; bounds chosen) */
import { limits } from '../limits.ts';
import { entity, type ItemOf } from './entity.ts';
import { flag, integer, oneOf, out, text } from './field.ts';

/** `waiting`: not called now; the others are those of a participant of a conference. (`waiting` documented, others chosen) */
export const participantStates = ['waiting', 'calling', 'ringing', 'active', 'held', 'leaving'] as const;

export const selectorParticipant = entity({
  kind: 'participant',
  noun: 'participant of a selector meeting',
  nouns: 'participants of a selector meeting',
  path: '/rest/v1/uc/selectors/:selector_id/participants',
  aliases: ['/rest/v1/api/selectors/:selector_id/participants'],
  domain: 'any',
  parent: { kind: 'selector', param: 'selector_id' },
  fields: {
    name: text({ initial: '' }),
    number: text({
      least: 1,
      most: limits.numberLetters,
      like: /^[^\s<>"]+$/,
      wanted: `expected a number or group#CODE of 1 to ${limits.numberLetters} letters, without blanks`,
    }),
    state: out(oneOf(participantStates), 'waiting'),
    hold: out(flag({}), false),
    is_hand_raised: out(flag({}), false),
    mic: flag({ initial: true }),
    spk: flag({ initial: true }),
    recall: flag({ initial: false }),
    video_out: flag({ initial: false }),
    video_cell: integer({ least: 0, most: 1_000, initial: 0 }),
    topology_type: oneOf(['listener', 'speaker', 'assistant']),
  },
  list: [
    'ext',
    'hold',
    'id',
    'is_hand_raised',
    'mic',
    'name',
    'number',
    'recall',
    'spk',
    'state',
    'topology_type',
    'video_out',
    'video_cell',
  ],
  lookup: [],
  unique: [],
  omittedOnChange: ['state', 'hold', 'is_hand_raised'],
  operations: {
    create: 'documented',
    list: 'documented',
    get: 'documented',
    patch: 'documented',
    delete: 'public',
  },
});

export type SelectorParticipantItem = ItemOf<typeof selectorParticipant>;
