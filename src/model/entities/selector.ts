import { z } from 'zod';
import { limits } from '../limits.ts';
import { namedUuid } from '../uuid.ts';
import { entity, type ItemOf } from './entity.ts';
import { field, flag, forPeople, integer, oneOf, out, stored, text, uuidSchema } from './field.ts';

/** Why fields have no effect. */
const forInterfaces = 'user interfaces apply them';
const noVideo = 'video is not simulated';

export const selectorStates = ['initing', 'connecting', 'waiting', 'online', 'terminating'] as const;

const wantedTime = 'expected an ISO 8601 time in UTC, such as 2026-01-01T09:00:00Z';

/**
 * Selector meetings: conferences planned with a list of participants. (public) The item is the plan; mware runs the meeting, and
 * `state` shows its current state.
 */
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
    displayname: stored(forPeople, text({ initial: '', does: 'Name to show' })),
    enabled: flag({ initial: true, does: 'Whether the meeting starts at its time' }),
    timestartutc: field(z.iso.datetime(wantedTime), { does: 'Start time, ISO 8601 UTC; a past time: at once' }),
    calldurationsec: integer({
      least: 0,
      most: 9_800,
      initial: 0,
      does: 'Longest duration in seconds; 0: no limit but the 9800 s of the platform',
    }),
    calltimeout: integer({ least: 1, most: 300, initial: 35, does: 'Seconds that a participant may ring' }),
    topology_mode: stored(forInterfaces, oneOf(['topology', 'abonent', 'direct'], { does: 'Layout of the meeting' })),
    mediafile: stored('media is not simulated', text({ initial: '', does: 'Sound file of the meeting; empty: none' })),
    default_mic: stored(forInterfaces, flag({ initial: true, does: 'Value of `mic` for new participants' })),
    default_spk: stored(forInterfaces, flag({ initial: true, does: 'Value of `spk` for new participants' })),
    default_recall: stored(forInterfaces, flag({ initial: false, does: 'Value of `recall` for new participants' })),
    comment: stored(forPeople, text({ initial: '', does: 'Comment' })),
  },
  lookup: [],
  unique: [],
  operations: { create: 'public', list: 'public', get: 'public', patch: 'public', delete: 'public' },
});

export type SelectorItem = ItemOf<typeof selector>;

/** `waiting`: not called now; the others are those of a participant of a conference. (`waiting` documented, others chosen) */
export const participantStates = ['waiting', 'calling', 'ringing', 'active', 'held', 'leaving'] as const;

/** Participants of selector meetings. (documented; `assistant`, `speaker` and which side sets a field public; limits chosen) */
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
      wanted: `expected a number or group#CODE of 1 to ${limits.numberLetters} characters, without blanks`,
      does: 'Number that the meeting calls; `group#CODE` names a group of numbers',
    }),
    state: out(
      oneOf(participantStates, {
        does: '`waiting`: not called now; `calling`: INVITE sent; `ringing`; `active`; `held`: on hold; `leaving`: BYE sent',
      }),
      'waiting',
    ),
    hold: out(flag({ does: 'Whether the participant is on hold' }), false),
    is_hand_raised: stored(
      'no device can ask to speak, so it is always false',
      out(flag({ does: 'Whether the participant asks to speak' }), false),
    ),
    mic: flag({ initial: true, does: 'Whether the others hear the participant' }),
    spk: flag({ initial: true, does: 'Whether the participant hears the others' }),
    recall: flag({ initial: false, does: 'Whether the participant is called again after it has left' }),
    video_out: stored(noVideo, flag({ initial: false, does: 'Whether the picture of the participant is shown' })),
    video_cell: stored(
      noVideo,
      integer({ least: 0, most: 1_000, initial: 0, does: 'Cell of the video layout; 0: any' }),
    ),
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

const wanted = 'expected an object with a list of participant ids for each participant';

/** For each participant the ids of the participants that it hears. */
export const selectorHearsSchema = z.record(
  uuidSchema,
  z.array(uuidSchema, wanted).max(limits.heardPairs, wanted),
  wanted,
);
export type SelectorHears = z.infer<typeof selectorHearsSchema>;

/**
 * The audio topology of a selector meeting as set by clients: a row of the domain data that belongs to the meeting and is removed
 * with it, with operations of its own. (path public, all else chosen)
 */
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

/** The id of the only row of a meeting. */
export function selectorTopologyId(selectorId: string): string {
  return namedUuid(`selector topology ${selectorId}`);
}

export interface Attendee {
  readonly id: string;
  readonly topology_type: 'listener' | 'speaker' | 'assistant';
}

/** Without a setting: listeners hear speakers, speakers hear each other and assistants, assistants hear all. (chosen) */
const heardBy: Readonly<Record<Attendee['topology_type'], readonly Attendee['topology_type'][]>> = {
  listener: ['speaker'],
  speaker: ['speaker', 'assistant'],
  assistant: ['listener', 'speaker', 'assistant'],
};

/** For each participant the participants that it hears. Settings of former participants are ignored. */
export function hearsOf(attendees: readonly Attendee[], set: SelectorHears): SelectorHears {
  const ids = new Set(attendees.map(({ id }) => id));
  return Object.fromEntries(
    attendees.map((attendee) => {
      const given = Object.hasOwn(set, attendee.id) ? set[attendee.id] : undefined;
      return [attendee.id, given?.filter((id) => ids.has(id)) ?? heardByDefault(attendee, attendees)] as const;
    }),
  );
}

function heardByDefault({ id, topology_type }: Attendee, attendees: readonly Attendee[]): string[] {
  const types = heardBy[topology_type];
  return attendees.filter((other) => other.id !== id && types.includes(other.topology_type)).map((other) => other.id);
}

/** The problem of a new topology, or `undefined`. */
export function problemOfHears(attendees: readonly Attendee[], given: SelectorHears): string | undefined {
  const ids = new Set(attendees.map(({ id }) => id));
  for (const [hearer, heard] of Object.entries(given)) {
    const stranger = [hearer, ...heard].find((id) => !ids.has(id));
    if (stranger !== undefined) return `hears: expected ids of participants of this meeting, got ${stranger}`;
    if (heard.includes(hearer)) return `hears.${hearer}: expected other participants`;
    if (new Set(heard).size < heard.length) return `hears.${hearer}: expected each id once`;
  }
  return undefined;
}
