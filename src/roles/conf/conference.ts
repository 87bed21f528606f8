/** A conference and its participants as conf keeps them beside their machines, and what is shown of them. */
import type {
  ConferenceRecord,
  MeetingRef,
  ParticipantRecord,
  ParticipantState,
} from '../../model/protocol/messages/conference.ts';
import { bracketed, sipUri } from '../../model/sip/uri.ts';
import { isoTime } from '../../model/time.ts';
import type { LegView } from '../../sip/user-agent.ts';

export interface Participant {
  readonly participantid: string;
  readonly conference: Conference;
  /** Call-Id of its leg. */
  readonly leg: string;
  readonly isOutgoing: boolean;
  /** Of a selector meeting: id of the participant there. */
  readonly member?: string | undefined;
  /** Who it is, in brackets. */
  readonly ruri: string;
  /** When it came or was called, and since when it takes part (ms since the epoch). */
  readonly sincems: number;
  joinedms: number | undefined;
  /** It asks to speak. */
  isHandRaised: boolean;
  /** The last two digits that it has pressed. */
  digits: string;
  /** The REFER that had it called. */
  readonly referrer: Referrer | undefined;
}

/** The leg of a participant, and the id of its REFER. */
export interface Referrer {
  readonly leg: string;
  readonly id: number;
}

/** A participant that has left, as conf_stop lists it. */
export interface Departed {
  readonly participantid: string;
  readonly callid: string;
  readonly ruri: string;
  readonly direction: 'in' | 'out';
  /** ISO 8601; when it came, took part and left. */
  readonly since: string;
  readonly joined: string | undefined;
  readonly left: string;
}

export interface Conference {
  readonly confid: string;
  readonly domain: string;
  /** Number under which it is called; `conf-<confid>` where it has no room. */
  readonly number: string;
  /** The last two digits of that number; empty where it has no room. */
  readonly room: string;
  readonly conftype: ConferenceRecord['conftype'];
  /** In brackets. */
  readonly uri: string;
  readonly startts: number;
  /** The selector meeting that it is. */
  readonly meeting?: MeetingRef | undefined;
  /** The meeting goes on as another conference, or is to begin at a later time. */
  keepsMeeting: boolean;
  /** Another instance was answered that it is the home of its room, and sends callers on to it. */
  isHome: boolean;
  /** When each participant of that was called for the last time. */
  readonly called: Map<string, number>;
  readonly participants: Map<string, Participant>;
  readonly audioMatrix: AudioMatrix;
  readonly playback: Playback;
  /** How many participants there were. */
  came: number;
  /** The participants that have left last. */
  readonly departed: Departed[];
}

export type ConferenceInit = Pick<
  Conference,
  'confid' | 'domain' | 'room' | 'number' | 'conftype' | 'startts' | 'meeting'
>;

export function newConference(init: ConferenceInit): Conference {
  const { domain, number } = init;
  const uri = bracketed(sipUri(number, domain));
  const people = {
    participants: new Map(),
    audioMatrix: new AudioMatrix(),
    playback: new Playback(),
    called: new Map(),
    keepsMeeting: false,
    isHome: false,
    came: 0,
    departed: [],
  };
  return { ...init, uri, ...people };
}

const confUser = /^conf-(\d+-\d+)$/;
const roomNumber = /^[0-9*#]+(\d\d)$/;

/** What the user part of a URI names: a conference by its id, or a room. */
export function namedBy(user: string): { readonly confid: string } | { readonly room: string } | undefined {
  const [, confid] = confUser.exec(user) ?? [];
  if (confid !== undefined) return { confid };
  const [, room] = roomNumber.exec(user) ?? [];
  return room === undefined ? undefined : { room };
}

/** The number of a room with its feature code, in hexadecimal notation; empty where there is no room. (notation documented) */
export function confnumberOf({ number, room }: Pick<Conference, 'number' | 'room'>): string {
  return room === '' ? '' : BigInt(number.replace(/\D/g, '')).toString(16);
}

export function conferenceRecordOf(
  conference: Conference,
  participants: ParticipantRecord[],
  { isEnding, ...owner }: { readonly site: string; readonly conf: string; readonly isEnding: boolean },
): ConferenceRecord {
  const { confid, domain, room, uri, conftype, startts, meeting, called } = conference;
  const uris = [...new Set([uri, ...[...conference.participants.values()].map(({ ruri }) => ruri)])];
  return {
    confid,
    confroomnum: room,
    confnumber: confnumberOf(conference),
    uri,
    conftype,
    startts,
    uris,
    domain,
    participants,
    ...owner,
    ...(meeting !== undefined && { meeting: { ...meeting, isEnding, called: Object.fromEntries(called) } }),
  };
}

export function participantRecordOf(
  { participantid, leg, conference, ruri, sincems, member, isHandRaised }: Participant,
  state: ParticipantState,
  view: LegView | undefined,
): ParticipantRecord {
  const tags = { ltag: view?.local.tag ?? '', rtag: view?.remote.tag ?? '' };
  return {
    participantid,
    state,
    callid: leg,
    luri: conference.uri,
    ...tags,
    ruri,
    sincems,
    ...(member !== undefined && { member }),
    ...(isHandRaised && { isHandRaised }),
  };
}

/** A participant that leaves now. */
export function departedOf(
  { participantid, leg, ruri, isOutgoing, sincems, joinedms }: Participant,
  nowMs: number,
): Departed {
  return {
    participantid,
    callid: leg,
    ruri,
    direction: isOutgoing ? 'out' : 'in',
    since: isoTime(sincems),
    joined: joinedms === undefined ? undefined : isoTime(joinedms),
    left: isoTime(nowMs),
  };
}

type Hears = Readonly<Record<string, readonly string[]>>;

/** Which participants of a conference each one hears: all others, unless a command chose otherwise for a listener. (chosen) */
class AudioMatrix {
  /** What a listener hears, where it is not all others. */
  readonly #chosen = new Map<string, Set<string>>();

  /** Changes what the listeners named hear. Answers what is wrong with the change, and then nothing has changed. */
  change(hears: Hears, participants: ReadonlySet<string>): string | undefined {
    for (const [listener, heard] of Object.entries(hears)) {
      const unknownId = [listener, ...heard].find((each) => !participants.has(each));
      if (unknownId !== undefined) return `hears: expected ids of participants, got ${JSON.stringify(unknownId)}`;
      if (heard.includes(listener)) return `hears.${listener}: expected other participants, got itself`;
    }
    for (const [listener, heard] of Object.entries(hears)) this.#chosen.set(listener, new Set(heard));
    return undefined;
  }

  /** Another participant takes the place of one that is about to leave: it hears the same, and is heard by the same. */
  replace(participant: string, by: string): void {
    const chosen = this.#chosen.get(participant);
    if (chosen !== undefined) this.#chosen.set(by, chosen);
    for (const [listener, heard] of this.#chosen) {
      if (heard.has(participant)) this.#chosen.set(listener, new Set([...heard, by]));
    }
  }

  /** Forgets a participant that has left. */
  forget(participant: string): void {
    this.#chosen.delete(participant);
    for (const heard of this.#chosen.values()) heard.delete(participant);
  }

  /** For each participant the participants that it hears, in the order of joining. */
  of(participants: ReadonlySet<string>): Record<string, string[]> {
    const all = [...participants];
    return Object.fromEntries(
      all.map((listener) => {
        const chosen = this.#chosen.get(listener);
        return [listener, all.filter((each) => each !== listener && (chosen?.has(each) ?? true))];
      }),
    );
  }
}

/**
 * The files that participants of a conference hear: one that a participant plays, such as an IVR script, if they hear that
 * participant; else, for a participant that hears no other one, the file of the conference. Each hears one file at a time. (chosen)
 */
class Playback {
  /** Files that participants play, by the id of the participant. */
  readonly #plays = new Map<string, string>();
  /** The file that each participant hears. */
  readonly #heard = new Map<string, string>();
  /** For participants that hear no other one; empty: none. */
  file = '';

  /** A participant plays a file from now on; empty: none. */
  plays(participant: string, file: string): void {
    if (file === '') this.#plays.delete(participant);
    else this.#plays.set(participant, file);
  }

  /** Forgets a participant that has left. */
  forget(participant: string): void {
    this.#plays.delete(participant);
    this.#heard.delete(participant);
  }

  /** The participants that hear another file than before. `hears`: the participants that each participant hears. */
  changes(
    hears: Readonly<Record<string, readonly string[]>>,
  ): { readonly participant: string; readonly file: string }[] {
    return Object.entries(hears).flatMap(([participant, heard]) => {
      const player = heard.find((other) => this.#plays.has(other));
      const ofConference = heard.length === 0 ? this.file : '';
      const file = (player === undefined ? undefined : this.#plays.get(player)) ?? ofConference;
      if (file === (this.#heard.get(participant) ?? '')) return [];
      this.#heard.set(participant, file);
      return [{ participant, file }];
    });
  }
}
