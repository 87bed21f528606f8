/** Entities of selector meetings and their participants. */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { timeOf } from '../time.ts';
import { namedUuid } from '../uuid.ts';
import { entity, type ItemOf } from './entity.ts';
import { field, flag, forPeople, integer, oneOf, out, stored, text, uuidSchema } from './field.ts';

/** Why fields have no effect. */
const noVideo = 'video is not simulated';

const topologyModes = ['topology', 'abonent', 'direct'] as const;

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
    enabled: flag({
      initial: true,
      does: 'Whether the meeting starts at its time; `false` ends the conference of one that runs, which is `waiting` then and starts again with `true`',
    }),
    timestartutc: field(z.iso.datetime(wantedTime), { does: 'Start time, ISO 8601 UTC; a past time: at once' }),
    calldurationsec: integer({
      least: 0,
      most: 9_800,
      initial: 0,
      does: 'Longest duration in seconds; 0: no limit but the 9800 s of the platform',
    }),
    calltimeout: integer({
      least: 1,
      most: limits.longestRingMs / 1_000,
      initial: 35,
      does: 'Seconds that a participant may ring',
    }),
    topology_mode: oneOf(topologyModes, {
      does: 'Which others a participant hears: `topology`: as its topology says, else by types; `abonent`: by types; `direct`: all others',
    }),
    mediafile: text({
      most: limits.fileNameChars + 40,
      initial: '',
      does: 'Sound file that a participant hears who hears no other one: a name or an address (`:SYNC_DOMAIN_DATA/selector/`…); empty: none',
    }),
    default_mic: flag({ initial: true, does: 'Value of `mic` for new participants' }),
    default_spk: flag({ initial: true, does: 'Value of `spk` for new participants' }),
    default_recall: flag({ initial: false, does: 'Value of `recall` for new participants' }),
    comment: stored(forPeople, text({ initial: '', does: 'Comment' })),
  },
  lookup: [],
  unique: [],
  operations: { create: 'public', list: 'public', get: 'public', patch: 'public', delete: 'public' },
});

export type SelectorItem = ItemOf<typeof selector>;

/** Whether a meeting is over when a conference with its id has ended: not one that was made again, or put off, since. */
export function isOver({ ext, timestartutc }: Pick<SelectorItem, 'ext' | 'timestartutc'>, endedMs: number): boolean {
  return endedMs >= Math.max(timeOf(ext.ct), timeOf(timestartutc));
}

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
  parentDefaults: { mic: 'default_mic', spk: 'default_spk', recall: 'default_recall' },
  fields: {
    name: text({ initial: '', does: 'Name to show' }),
    number: text({
      least: 1,
      most: limits.numberChars,
      like: /^[^\s<>"]+$/,
      wanted: `expected a number or group#CODE of 1 to ${limits.numberChars} characters, without blanks`,
      does: 'Number that the meeting calls; `group#CODE`: each number of the contact group with this code',
    }),
    state: out(
      oneOf(participantStates, {
        does: '`waiting`: not called now; `calling`: INVITE sent; `ringing`; `active`; `held`: on hold; `leaving`: BYE sent',
      }),
      'waiting',
    ),
    hold: out(flag({ does: 'Whether the participant is on hold' }), false),
    is_hand_raised: out(
      flag({ does: 'Whether the participant asks to speak: its phone has pressed *9, and not #9 since' }),
      false,
    ),
    mic: flag({ initial: true, does: 'Whether the others hear the participant' }),
    spk: flag({ initial: true, does: 'Whether the participant hears the others' }),
    recall: flag({
      initial: false,
      does: 'Whether the participant is called again after it has left; the last one is not, because the meeting ends with it',
    }),
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

/** A number that a meeting calls: that of a participant, or one of the group that a participant names. */
export interface SelectorSeat {
  /** `ID/CREATED/NUMBER` of the participant: another number is called anew, and so is a participant that was made again with its id. */
  readonly key: string;
  readonly item: SelectorParticipantItem;
  readonly number: string;
}

const groupPrefix = 'group#';

/** The code of the group that a participant names. */
export function groupIn({ number }: Pick<SelectorParticipantItem, 'number'>): string | undefined {
  return number.startsWith(groupPrefix) ? number.slice(groupPrefix.length) : undefined;
}

/** The numbers that a meeting calls. `groups`: the numbers of each group, by its code. */
export function seatsOf(
  items: readonly SelectorParticipantItem[],
  groups: ReadonlyMap<string, readonly string[]>,
): SelectorSeat[] {
  return items.flatMap((item) => {
    const code = groupIn(item);
    const numbers = code === undefined ? [item.number] : new Set(groups.get(code) ?? []);
    return [...numbers].map((number) => ({ key: `${item.id}/${item.ext.ct}/${number}`, item, number }));
  });
}

/** The participant that a seat is of. One that was made again with the id of a removed one has another `ct`. */
export function participantOfSeat(key: string): { readonly id: string; readonly ct: string } {
  const [id = key, ct = ''] = key.split('/', 2);
  return { id, ct };
}

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
  without: ({ hears, ...item }, id) => {
    const others = Object.entries(hears).filter(([hearer]) => hearer !== id);
    return {
      ...item,
      hears: Object.fromEntries(others.map(([hearer, ids]) => [hearer, ids.filter((each) => each !== id)])),
    };
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

/** How the topology of a meeting is made. */
export interface SelectorTopology {
  readonly mode: SelectorItem['topology_mode'];
  /** As set by clients. */
  readonly set: SelectorHears;
}

/** For each participant the participants that it hears. Settings of former participants are ignored. */
export function hearsOf(attendees: readonly Attendee[], { mode, set }: SelectorTopology): SelectorHears {
  const ids = new Set(attendees.map(({ id }) => id));
  return Object.fromEntries(
    attendees.map((attendee) => {
      const given = mode === 'topology' && Object.hasOwn(set, attendee.id) ? set[attendee.id] : undefined;
      const heard = given?.filter((id) => ids.has(id)) ?? heardByDefault(attendee, { attendees, mode });
      return [attendee.id, heard] as const;
    }),
  );
}

/** Whether the numbers of a group hear each other. */
export function hearsItsGroup({ topology_type: type }: Attendee, mode: SelectorTopology['mode']): boolean {
  return mode === 'direct' || heardBy[type].includes(type);
}

function heardByDefault(
  { id, topology_type }: Attendee,
  { attendees, mode }: { readonly attendees: readonly Attendee[]; readonly mode: SelectorTopology['mode'] },
): string[] {
  const isHeard = (other: Attendee) => mode === 'direct' || heardBy[topology_type].includes(other.topology_type);
  return attendees.filter((other) => other.id !== id && isHeard(other)).map((other) => other.id);
}

/** The problem of a new topology, or `undefined`. */
export function problemOfHears(attendees: readonly Attendee[], given: SelectorHears): string | undefined {
  const ids = new Set(attendees.map(({ id }) => id));
  for (const [hearer, heard] of Object.entries(given)) {
    const unknownId = [hearer, ...heard].find((id) => !ids.has(id));
    if (unknownId !== undefined) return `hears: expected ids of participants of this meeting, got ${unknownId}`;
    if (heard.includes(hearer)) return `hears.${hearer}: expected other participants`;
    if (new Set(heard).size < heard.length) return `hears.${hearer}: expected each id once`;
  }
  return undefined;
}
