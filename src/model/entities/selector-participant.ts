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
    name: text({ initial: '', does: 'Name to show' }),
    number: text({
      least: 1,
      most: limits.numberLetters,
      like: /^[^\s<>"]+$/,
      wanted: `expected a number or group#CODE of 1 to ${limits.numberLetters} letters, without blanks`,
      does: 'Number that the meeting calls; `group#CODE` names a group of numbers',
    }),
    state: out(
      oneOf(participantStates, {
        does: '`waiting`: not called now; `calling`: INVITE sent; `ringing`; `active`; `held`: on hold; `leaving`: BYE sent',
      }),
      'waiting',
    ),
    hold: out(flag({ does: 'Whether the participant is on hold' }), false),
    is_hand_raised: out(flag({ does: 'Whether the participant asks to speak' }), false),
    mic: flag({ initial: true, does: 'Whether the others hear the participant' }),
    spk: flag({ initial: true, does: 'Whether the participant hears the others' }),
    recall: flag({ initial: false, does: 'Whether the participant is called again after it has left' }),
    video_out: flag({ initial: false, does: 'Whether the picture of the participant is shown' }),
    video_cell: integer({ least: 0, most: 1_000, initial: 0, does: 'Cell of the video layout; 0: any' }),
    topology_type: oneOf(['listener', 'speaker', 'assistant'], {
      does: '`listener` hears speakers; `speaker` hears speakers and assistants; `assistant` hears all',
    }),
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
