/**
 * Runs the selector meetings of the domains that this instance serves, without state of its own but the last ends. The plan is domain data;
 * the conf instances know which conference is which meeting, which participants were called when, and what has ended. Each
 * round compares both. So an mware that takes over continues running meetings and starts none twice, and a meeting whose
 * conf has crashed is started again. If mware instances serve a domain at several sites, the first reachable one runs its
 * meetings, in the order of the topology; during a partition a meeting may run on each side with the participants there.
 * When the partition is over, a conference of it that has called no participant is ended if there is another. (chosen)
 */
import { askRole } from '../../../cluster/messaging/ask-in-order.ts';
import { activeInstances, type RoleScope } from '../../../cluster/role.ts';
import { coverOf } from '../../../model/domain-tree.ts';
import {
  hearsItsGroup,
  hearsOf,
  isOver,
  participantOfSeat,
  type SelectorItem,
  type SelectorParticipantItem,
  type SelectorSeat,
  type SelectorTopology,
  seatsOf,
} from '../../../model/entities/selector.ts';
import { done, type Outcome } from '../../../model/fault.ts';
import { limits } from '../../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../../model/protocol/catalogue.ts';
import type { ConferenceRecord, MeetingRef } from '../../../model/protocol/messages/conference.ts';
import { timeOf } from '../../../model/time.ts';
import type { Timer } from '../../../ports/clock.ts';
import { wholeOf } from '../../pieces.ts';
import { MeetingData } from './meeting-data.ts';

/** Interval between rounds while a meeting runs, and while none does. */
const intervalsMs = { running: 1_000, idle: 30_000, soon: 10 } as const;
/** A participant who has left is called again this time after the last call. */
const recallMs = 5_000;

/** The state of the reachable conf instances. */
interface ConfState {
  readonly records: readonly ConferenceRecord[];
  readonly ended: ReadonlyMap<string, number>;
  /** Whether all of them have answered. */
  readonly isWhole: boolean;
}

interface Running {
  readonly domain: string;
  readonly meeting: SelectorItem;
  readonly record: ConferenceRecord;
  readonly members: readonly SelectorParticipantItem[];
  readonly seats: readonly SelectorSeat[];
}

export class Meetings {
  readonly #scope: RoleScope;
  readonly #data: MeetingData;
  readonly #timers = new Map<string, Timer>();
  /** Domains with a round under way; true: a change arrived meanwhile. */
  readonly #rounds = new Map<string, boolean>();
  /** For each domain, the instances that its rounds depend on, according to the last view. */
  readonly #reachable = new Map<string, string>();
  /** When meetings have ended, as conf instances have said at once: one may be lost before a round asks it. */
  readonly #ends = new Map<string, { readonly domain: string; readonly endedMs: number }>();
  #isServing = false;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#data = new MeetingData(scope);
    scope.onViewChange(() => this.#onViewChange());
  }

  start(): void {
    this.#isServing = true;
    for (const domain of this.#domains()) {
      this.#reachable.set(domain, this.#reachableFor(domain));
      this.#checkAfter(domain, intervalsMs.running);
    }
  }

  stop(): void {
    this.#isServing = false;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  /** Starts a round soon, because something has changed. */
  checkSoon(domain: string): void {
    if (this.#rounds.has(domain)) this.#rounds.set(domain, true);
    else this.#checkAfter(domain, intervalsMs.soon);
  }

  /** Keeps when a meeting has ended, for its next round. */
  noteEnd(domain: string, meeting: string): void {
    this.#ends.delete(meeting);
    const [oldest] = this.#ends.keys();
    if (oldest !== undefined && this.#ends.size >= limits.conferences) this.#ends.delete(oldest);
    this.#ends.set(meeting, { domain, endedMs: this.#scope.clock.now() });
  }

  /** The running and ended meetings of a domain, according to the reachable conf instances. */
  async running({ domain }: { readonly domain: string }): Promise<Outcome<ReplyOf<'mware.meetings'>>> {
    const { records, ended } = await this.#confState(domain);
    const meetings = records.flatMap(({ meeting, participants }) => {
      if (meeting === undefined) return [];
      const members = participants.flatMap(({ member, state, isHandRaised = false }) =>
        member === undefined ? [] : [{ ...participantOfSeat(member), state, isHandRaised }],
      );
      const isOnline = members.some(({ state }) => state === 'active' || state === 'held');
      const state = meeting.isEnding
        ? ('terminating' as const)
        : isOnline
          ? ('online' as const)
          : ('connecting' as const);
      return [{ id: meeting.id, ct: meeting.ct, state, members }];
    });
    const over = [...ended].filter(([id]) => !meetings.some((each) => each.id === id));
    const ends = over.map(([id, endedMs]) => ({ id, state: 'terminating' as const, members: [], endedMs }));
    return done({ meetings: [...meetings, ...ends] });
  }

  #domains(): string[] {
    const { map, instance } = this.#scope;
    return [...map.domains.keys()].filter((domain) => coverOf(domain, instance.domains) !== undefined);
  }

  /** A conf that is reachable again may have a conference of an ended meeting; without this one, a meeting may have no mware. */
  #onViewChange(): void {
    if (!this.#isServing) return;
    for (const domain of this.#domains()) {
      const reachable = this.#reachableFor(domain);
      if (this.#reachable.get(domain) === reachable) continue;
      this.#reachable.set(domain, reachable);
      if (!this.#rounds.has(domain)) this.#checkAfter(domain, intervalsMs.running);
    }
  }

  #reachableFor(domain: string): string {
    const confs = activeInstances(this.#scope, 'conf', domain).map(({ address }) => address);
    return [this.#isHome(domain), ...confs].join();
  }

  #checkAfter(domain: string, delayMs: number): void {
    if (!this.#isServing) return;
    this.#timers.get(domain)?.cancel();
    this.#timers.set(
      domain,
      this.#scope.clock.setTimer(delayMs, () => this.#check(domain)),
    );
  }

  #check(domain: string): void {
    this.#rounds.set(domain, false);
    this.#round(domain).then((intervalMs) => {
      const isChanged = this.#rounds.get(domain) === true;
      this.#rounds.delete(domain);
      this.#checkAfter(domain, isChanged ? intervalsMs.soon : intervalMs);
    }, this.#scope.crash);
  }

  /** One comparison; returns the delay until the next one. */
  async #round(domain: string): Promise<number> {
    if (!this.#isHome(domain)) return intervalsMs.idle;
    const { clock } = this.#scope;
    const planned = await this.#data.planned(domain);
    if (planned === undefined) return intervalsMs.running;
    const isDue = ({ enabled, timestartutc }: SelectorItem) => enabled && timeOf(timestartutc) <= clock.now();
    const due = planned.filter(isDue);
    const floor = await this.#confState(domain);
    for (const { confid, conf, meeting } of floor.records) {
      const isMeant = meeting === undefined || meeting.isEnding || due.some((each) => isSame(each, meeting));
      if (!isMeant) await this.#scope.ask(conf, 'conference.end', { confid, keepsMeeting: true });
    }
    // One that has been disabled since its end is over as well.
    for (const meeting of planned) if (isOverIn(floor, meeting)) await this.#data.remove(domain, meeting.id);
    for (const meeting of due) if (!isOverIn(floor, meeting)) await this.#tend(domain, meeting, floor);
    if (due.length > 0) return intervalsMs.running;
    const nextMs = Math.min(...planned.filter(({ enabled }) => enabled).map((each) => timeOf(each.timestartutc)));
    return Math.min(Math.max(nextMs - clock.now(), intervalsMs.soon), intervalsMs.idle);
  }

  /** Whether this instance runs the meetings of a domain. */
  #isHome(domain: string): boolean {
    const { map, instance } = this.#scope;
    const active = new Set(activeInstances(this.#scope, 'mware', domain));
    return map.instancesOf('mware').find((each) => active.has(each) || each === instance) === instance;
  }

  async #tend(domain: string, meeting: SelectorItem, floor: ConfState): Promise<void> {
    const { id, ext } = meeting;
    const { record, doubles } = conferencesOf(id, floor.records);
    for (const { conf, confid } of doubles)
      await this.#scope.ask(conf, 'conference.end', { confid, keepsMeeting: true });
    // That of a removed meeting with the same id ends first.
    if (record?.meeting !== undefined && (record.meeting.isEnding || !isSame(meeting, record.meeting))) return;
    const rows = await this.#data.participants(domain, id);
    const members = rows ?? [];
    const groups = rows && (await this.#data.groups(domain, members));
    const seats = seatsOf(members, groups ?? new Map());
    if (record !== undefined) return groups && this.#lead({ domain, meeting, record, members, seats });
    if (!floor.isWhole || seats.length === 0) return;
    const deadlineMs = this.#deadlineMs();
    const body: BodyOf<'conference.create'> = { domain, meeting: [id, ext.ct] };
    const question = { type: 'conference.create', body, deadlineMs } as const;
    const made = await askRole(this.#scope, { role: 'conf', domain }, question);
    if (made.ok) this.checkSoon(domain);
  }

  async #lead({ domain, meeting, record, members, seats }: Running): Promise<void> {
    const { ask, clock } = this.#scope;
    const { conf, confid, startts } = record;
    const longestSec = Math.min(meeting.calldurationsec || limits.meetingSec, limits.meetingSec);
    if (clock.now() >= startts + longestSec * 1_000) return void (await ask(conf, 'conference.end', { confid }));
    // Before others are removed: the meeting ends with its last participant.
    const wanted = seats.filter((seat) => this.#isWanted(seat, record));
    const invitations = wanted.slice(0, limits.participants).map(({ key, number }): [string, string] => [number, key]);
    if (invitations.length > 0) await ask(conf, 'conference.call', { confid, invitations });
    for (const { member, participantid, state, sincems } of record.participants) {
      const isLate =
        clock.now() - sincems >= meeting.calltimeout * 1_000 && (state === 'calling' || state === 'ringing');
      const isGone = member !== undefined && !seats.some(({ key }) => key === member);
      if ((isLate || isGone) && state !== 'leaving') await ask(conf, 'conference.remove', { confid, participantid });
    }
    await this.#arrange({ domain, meeting, record, members, seats });
  }

  /** Whether a number is to be called now. */
  #isWanted({ key, item }: SelectorSeat, { participants, meeting }: ConferenceRecord): boolean {
    if (participants.some((each) => each.member === key)) return false;
    const calledMs = meeting?.called[key];
    return calledMs === undefined || (item.recall && this.#scope.clock.now() - calledMs >= recallMs);
  }

  /** Sets the audio topology, and the file of the meeting; they stay as they are where no directory answers. */
  async #arrange({ domain, meeting, record, members, seats }: Running): Promise<void> {
    const { conf, confid } = record;
    const { topology_mode: mode, mediafile } = meeting;
    const set = mode === 'topology' ? await this.#data.hears(domain, meeting.id) : {};
    const file = await this.#data.fileOf(domain, mediafile);
    if (set === undefined || file === undefined) return;
    const hears = meetingHears(record, members, { mode, set });
    const keys = seats.map(({ key }) => key);
    await this.#scope.ask(conf, 'conference.hears', { confid, hears, file, seats: keys });
  }

  async #confState(domain: string): Promise<ConfState> {
    const answers = await Promise.all(
      activeInstances(this.#scope, 'conf', domain).map(({ address }) => this.#listed(address, domain)),
    );
    const nowMs = this.#scope.clock.now();
    const known = answers.flatMap((answer) => (answer.ok ? [meetingsIn(answer.value, nowMs)] : []));
    const records = known.flatMap((each) => each.records);
    const noted = [...this.#ends].flatMap(([id, end]) => (end.domain === domain ? [[id, end.endedMs] as const] : []));
    const ended = latestEnds([...known.map((each) => each.ended), Object.fromEntries(noted)]);
    return { records, ended, isWhole: known.length > 0 && known.length === answers.length };
  }

  /** All conferences of a domain at a conf instance. */
  async #listed(address: string, domain: string): Promise<Outcome<ReplyOf<'conference.list'>>> {
    const answer = await this.#scope.ask(address, 'conference.list', { domain });
    if (!answer.ok) return answer;
    const { conferences: items, rest } = answer.value;
    const whole = await wholeOf({ items, rest }, (name) => this.#scope.ask(address, 'conference.rest', { rest: name }));
    return whole.ok ? done({ ...answer.value, conferences: whole.value }) : whole;
  }

  #deadlineMs(): number {
    const { clock, map } = this.#scope;
    return clock.now() + map.topology.timings.requestDeadlineMs;
  }
}

/** Whether a meeting has ended, and has no conference that began since. */
function isOverIn({ records, ended }: ConfState, meeting: SelectorItem): boolean {
  const endedMs = ended.get(meeting.id);
  return endedMs !== undefined && isOver(meeting, endedMs) && !records.some((each) => each.meeting?.id === meeting.id);
}

/** Whether a conference is of a meeting, and not of a removed one with the same id. */
function isSame({ id, ext }: Pick<SelectorItem, 'id' | 'ext'>, meeting: MeetingRef): boolean {
  return meeting.id === id && meeting.ct === ext.ct;
}

/** When each meeting has ended for the last time: one that was made again with its id may have ended at several instances. */
export function latestEnds(all: readonly Readonly<Record<string, number>>[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const [id, endedMs] of all.flatMap((ended) => Object.entries(ended)))
    latest.set(id, Math.max(endedMs, latest.get(id) ?? endedMs));
  return latest;
}

type ListReply = ReplyOf<'conference.list'>;

/**
 * The conferences that are meetings, and when others have ended, in times of the own clock: clocks of nodes differ.
 * `nowMs`: the time of the answer by the own clock.
 */
export function meetingsIn({ conferences, ended = {}, nowMs: thereMs }: ListReply, nowMs: number) {
  const byMs = nowMs - thereMs;
  const records = conferences.filter(({ meeting }) => meeting !== undefined).map((each) => shifted(each, byMs));
  return { records, ended: shiftedAll(ended, byMs) };
}

function shifted(record: ConferenceRecord, byMs: number): ConferenceRecord {
  const { startts, participants, meeting } = record;
  return {
    ...record,
    startts: startts + byMs,
    participants: participants.map((each) => ({ ...each, sincems: each.sincems + byMs })),
    meeting: meeting && { ...meeting, called: shiftedAll(meeting.called, byMs) },
  };
}

function shiftedAll(times: Readonly<Record<string, number>>, byMs: number): Record<string, number> {
  return Object.fromEntries(Object.entries(times).map(([id, atMs]) => [id, atMs + byMs]));
}

/**
 * `record`: the conference that is the meeting: one that has called participants, before others. `doubles`: others of the meeting,
 * which began during a partition and have called no participant.
 */
export function conferencesOf(
  id: string,
  records: readonly ConferenceRecord[],
): { readonly record: ConferenceRecord | undefined; readonly doubles: readonly ConferenceRecord[] } {
  const all = records.filter(({ meeting }) => meeting?.id === id);
  const record = all.find(hasCalled) ?? all[0];
  return { record, doubles: all.filter((each) => each !== record && !hasCalled(each) && !each.meeting?.isEnding) };
}

function hasCalled({ meeting, participants }: ConferenceRecord): boolean {
  return participants.length > 0 || Object.keys(meeting?.called ?? {}).length > 0;
}

/**
 * By the ids of participants of the conference. A muted participant is heard by no other one, also not by one that a client has
 * added to the conference and that is no participant of the meeting; a deaf one hears nothing.
 */
export function meetingHears(
  { participants }: ConferenceRecord,
  members: readonly SelectorParticipantItem[],
  topology: SelectorTopology,
): Record<string, string[]> {
  const here = participants.flatMap(({ member, participantid, state }) => {
    const seat = member === undefined ? undefined : participantOfSeat(member);
    const item = members.find(({ id, ext }) => id === seat?.id && ext.ct === seat.ct);
    return item === undefined || state === 'leaving' ? [] : [{ participantid, item }];
  });
  const unknownParticipants = participants.filter(
    ({ state, participantid }) => state !== 'leaving' && !here.some((each) => each.participantid === participantid),
  );
  const hears = hearsOf(members, topology);
  const audible = here.flatMap(({ participantid, item }) => (item.mic ? [participantid] : []));
  const ofUnknown = unknownParticipants.map(({ participantid }): [string, string[]] => {
    const others = unknownParticipants.flatMap((each) =>
      each.participantid === participantid ? [] : [each.participantid],
    );
    return [participantid, [...audible, ...others]];
  });
  return Object.fromEntries([
    ...ofUnknown,
    ...here.map(({ participantid, item }) => {
      const ids = hears[item.id] ?? [];
      const ownGroup = hearsItsGroup(item, topology.mode) ? item.id : undefined;
      const isHeard = (other: (typeof here)[number]) =>
        other.participantid !== participantid &&
        other.item.mic &&
        (ids.includes(other.item.id) || other.item.id === ownGroup);
      return [participantid, item.spk ? here.filter(isHeard).map((other) => other.participantid) : []] as const;
    }),
  ]);
}
