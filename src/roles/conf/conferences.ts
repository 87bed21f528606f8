/** The conferences of a conf instance and their participants: an entity each; its events are reports of legs and commands. */

import { EntityHost, type Handled } from '../../actors/entity-host.ts';
import type { RoleScope } from '../../cluster/role.ts';
import {
  type ConferenceCommand,
  type ConferenceEnd,
  conferenceMachine,
  takesParticipants,
} from '../../machines/conference/conference.ts';
import {
  type CallAnswer,
  type ParticipantCommand,
  type ParticipantEvent,
  participantMachine,
} from '../../machines/conference/participant.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { limits } from '../../model/limits.ts';
import { conftypeOf } from '../../model/numbers/feature-code.ts';
import type {
  ConferenceRecord,
  MeetingRef,
  ParticipantRecord,
  ParticipantState,
} from '../../model/protocol/messages/conference.ts';
import { statusLine } from '../../model/sip/message.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import type { PlatformAgent } from '../platform-agent.ts';
import {
  type Conference,
  conferenceRecordOf,
  departedOf,
  newConference,
  type Participant,
  participantRecordOf,
} from './conference.ts';
import type { ConferenceEvents } from './conference-events.ts';

export interface ConferencesOptions {
  readonly scope: RoleScope;
  readonly agent: PlatformAgent;
  readonly events: ConferenceEvents;
  /** Called when a conference is over. */
  readonly onStopped: () => void;
}

export type Arrival = Pick<Participant, 'leg' | 'isOutgoing' | 'ruri' | 'referrer' | 'member'>;

const removedByCommand: ConferenceEnd = { type: 'bye', reason: 'removed', by: 'api' };

export class Conferences {
  readonly #options: ConferencesOptions;
  /** Includes conferences that are over and wait for their conf_stop. */
  readonly #conferences = new Map<string, Conference>();
  readonly #rooms = new Map<string, Conference>();
  readonly #participants = new Map<string, Participant>();
  readonly #byLeg = new Map<string, Participant>();
  readonly #meetings: EntityHost<typeof conferenceMachine>;
  readonly #people: EntityHost<typeof participantMachine>;
  /** When selector meetings have ended, those of late. */
  readonly #ended = new Map<string, number>();
  #made = 0;

  constructor(options: ConferencesOptions) {
    const { clock, counters, crash: onCrash } = options.scope;
    this.#options = options;
    this.#meetings = new EntityHost({
      ...{ machine: conferenceMachine, clock, counters, onCrash },
      onCommand: (confid, command) => this.#obeyMeeting(this.#known(confid), command),
      onEnd: (confid) => {
        this.#conferences.delete(confid);
        options.onStopped();
      },
    });
    this.#people = new EntityHost({
      ...{ machine: participantMachine, clock, counters, onCrash },
      limit: limits.conferences * limits.participants,
      onCommand: (id, command) => this.#obeyParticipant(id, command),
    });
  }

  get size(): number {
    return this.#conferences.size;
  }

  /** A conference that lists show. */
  get(confid: string): Conference | undefined {
    return this.#meetings.snapshot(confid)?.value === 'over' ? undefined : this.#conferences.get(confid);
  }

  /** A conference that lists show, or that is over for less than three seconds. */
  lately(confid: string): Conference | undefined {
    return this.#conferences.get(confid);
  }

  /** The conference of a room, by the number of the room, if it takes participants. */
  atRoom(domain: string, number: string): Conference | undefined {
    return this.#rooms.get(`${domain}/${number}`);
  }

  /** Whether a conference takes participants: not when it ends, or is over. */
  takesParticipants({ confid }: Conference): boolean {
    return takesParticipants(this.#meetings.snapshot(confid)?.value);
  }

  /** Makes a conference, of a room or of none; `undefined` when there is no room for another one. */
  create(
    domain: string,
    address?: { readonly number: string; readonly room: string },
    meeting?: MeetingRef,
  ): Conference | undefined {
    const { instance, clock, map } = this.#options.scope;
    if (this.#conferences.size >= limits.conferences) return undefined;
    this.#made += 1;
    const confid = `${instance.srvidx}-${this.#made}`;
    const { number = `conf-${confid}`, room = '' } = address ?? {};
    const conftype = conftypeOf(map.domains.get(domain)?.features ?? [], number);
    const startts = Math.floor(clock.now());
    const conference = newConference({ confid, domain, number, room, conftype, startts, meeting });
    this.#conferences.set(confid, conference);
    if (address !== undefined) this.#rooms.set(`${domain}/${number}`, conference);
    this.#meetings.start(confid, undefined);
    return conference;
  }

  /** Adds a participant that calls or is called. */
  join(conference: Conference, arrival: Arrival): Participant {
    conference.came += 1;
    const participantid = `${conference.confid}-${conference.came}`;
    const sincems = this.#options.scope.clock.now();
    if (arrival.member !== undefined) conference.called.set(arrival.member, sincems);
    const initial = { joinedms: undefined, isHandRaised: false, digits: '' };
    const participant = { ...arrival, participantid, conference, sincems, ...initial };
    conference.participants.set(participantid, participant);
    this.#participants.set(participantid, participant);
    this.#byLeg.set(arrival.leg, participant);
    this.#people.start(participantid, { isReferred: arrival.referrer !== undefined });
    this.#meetings.send(conference.confid, { type: 'participant.came' });
    return participant;
  }

  /** The conference that is a selector meeting, if it takes participants. */
  ofMeeting(domain: string, { id, ct }: MeetingRef): Conference | undefined {
    const all = [...this.#conferences.values()].filter((each) => each.domain === domain);
    return all.find((each) => each.meeting?.id === id && each.meeting.ct === ct && this.takesParticipants(each));
  }

  /** When the selector meetings that were here have ended, if there were any. */
  get ended(): Record<string, number> | undefined {
    return this.#ended.size === 0 ? undefined : Object.fromEntries(this.#ended);
  }

  byLeg(leg: string): Participant | undefined {
    return this.#byLeg.get(leg);
  }

  /** Ends a conference: its participants are removed, and it is over when all have left. `end` says why. */
  end({ confid }: Conference, end: ConferenceEnd): void {
    this.#meetings.send(confid, { type: 'end.requested', end });
  }

  endAll(end: ConferenceEnd): void {
    for (const conference of [...this.#conferences.values()]) this.end(conference, end);
  }

  /** Removes a participant, by BYE to its leg; by default as by a command of the interface. */
  remove(participant: Participant, end: ConferenceEnd = removedByCommand): void {
    this.#people.send(participant.participantid, { type: 'removal.requested', end });
  }

  /** Takes a report of the leg of a participant. */
  receive(participant: Participant, report: LegReport): void {
    const { conference, participantid } = participant;
    if (report.type === 'leg.dtmf') return this.#receiveDigit(participant, report.dtmf);
    if (report.type === 'leg.plays') {
      conference.playback.plays(participantid, report.plays);
      return this.refreshPlayback(conference);
    }
    const event = eventOf(report, participant.ruri);
    if (event !== undefined) this.#people.send(participant.participantid, event);
  }

  /** Plays to each participant what it is to hear now. */
  refreshPlayback({ participants, audioMatrix, playback }: Conference): void {
    const joined = [...participants.values()].filter(({ joinedms }) => joinedms !== undefined);
    const hears = audioMatrix.of(new Set(joined.map(({ participantid }) => participantid)));
    for (const { participant, file } of playback.changes(hears)) {
      const leg = participants.get(participant)?.leg;
      if (leg !== undefined) this.#options.agent.control(leg, { type: 'play', plays: file });
    }
  }

  /** The digits *9 raise the hand of a participant of a meeting, #9 lower it. (chosen) */
  #receiveDigit(participant: Participant, digit: string): void {
    const digits = (participant.digits + digit).slice(-2);
    const isRaised = digits === '*9' || (digits !== '#9' && participant.isHandRaised);
    participant.digits = digits;
    if (participant.isHandRaised === isRaised) return;
    participant.isHandRaised = isRaised;
    this.#options.events.hand(participant);
  }

  /** The participants that hear and are heard: all but the leaving ones. */
  listeners({ participants }: Conference): ReadonlySet<string> {
    return new Set([...participants.keys()].filter((id) => this.#stateOf(id) !== 'leaving'));
  }

  /** The conferences of a domain, or the one of them that has this id. */
  records(domain: string, { confid, isBrief = false }: { confid?: string; isBrief?: boolean }): ConferenceRecord[] {
    const { instance } = this.#options.scope;
    const owner = { site: instance.site, conf: instance.address };
    const ids = confid === undefined ? [...this.#conferences.keys()] : [confid];
    return ids.flatMap((id) => {
      const conference = this.get(id);
      if (conference?.domain !== domain) return [];
      return [
        conferenceRecordOf(conference, isBrief ? [] : this.#recordsIn(conference), {
          ...owner,
          isEnding: !this.takesParticipants(conference),
        }),
      ];
    });
  }

  stop(): void {
    this.#people.stopAll();
    this.#meetings.stopAll();
  }

  #recordsIn({ participants }: Conference): ParticipantRecord[] {
    const { agent } = this.#options;
    return [...participants.values()].map((participant) =>
      participantRecordOf(participant, this.#stateOf(participant.participantid), agent.view(participant.leg)),
    );
  }

  #stateOf(participantid: string): ParticipantState {
    const state = this.#people.snapshot(participantid)?.value;
    return state === undefined || state === 'gone' ? 'leaving' : state;
  }

  #isCreating({ confid }: Conference): boolean {
    return this.#meetings.snapshot(confid)?.matches('creating') ?? false;
  }

  #known(confid: string): Conference {
    const conference = this.#conferences.get(confid);
    if (conference === undefined) throw new Error(`no conference ${confid}`);
    return conference;
  }

  #obeyMeeting(conference: Conference, command: Handled<ConferenceCommand>): void {
    const { events, agent } = this.#options;
    switch (command.type) {
      case 'publish.start':
        events.start(conference);
        return events.meeting(conference, 'connecting');
      case 'close':
        return this.#close(conference);
      case 'end.participants': {
        const end = this.#meetings.snapshot(conference.confid)?.context.end;
        for (const participant of [...conference.participants.values()]) this.remove(participant, end);
        return;
      }
      case 'drop.participants':
        for (const { leg } of [...conference.participants.values()]) agent.control(leg, { type: 'drop' });
        return;
      case 'publish.end':
        return this.#keepEnded(conference);
      case 'publish.stop':
        return events.stop(conference, command.end);
    }
  }

  /** From now on a call to its room makes another conference. */
  #close(conference: Conference): void {
    const key = `${conference.domain}/${conference.number}`;
    this.#options.events.meeting(conference, 'terminating');
    this.#keepEnded(conference);
    if (this.#rooms.get(key) === conference) this.#rooms.delete(key);
  }

  #keepEnded({ meeting, domain, keepsMeeting }: Conference): void {
    if (meeting === undefined || keepsMeeting) return;
    const { scope } = this.#options;
    // Standbys as well: this instance and the mware that runs the meeting may both be lost before a round.
    const serving = scope.map.instancesOf('mware').filter((each) => coverOf(domain, each.domains) !== undefined);
    for (const { address } of serving) scope.tell(address, 'mware.meetings.changed', { domain, ended: meeting.id });
    this.#ended.delete(meeting.id);
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size >= limits.conferences) this.#ended.delete(oldest);
    this.#ended.set(meeting.id, scope.clock.now());
  }

  #obeyParticipant(id: string, command: Handled<ParticipantCommand>): void {
    const { agent, events, scope } = this.#options;
    const participant = this.#participants.get(id);
    if (participant === undefined) return;
    const { leg, conference } = participant;
    switch (command.type) {
      case 'publish.joined':
        participant.joinedms = scope.clock.now();
        if (this.#isCreating(conference)) events.meeting(conference, 'online');
        this.#meetings.send(conference.confid, { type: 'participant.joined' });
        this.refreshPlayback(conference);
        return events.joined(participant);
      case 'end.leg':
        if (!agent.control(leg, { type: 'end' })) this.#people.send(id, { type: 'leg.gone', end: lost });
        return;
      case 'drop.leg':
        return void agent.control(leg, { type: 'drop' });
      case 'notify.referrer':
        return this.#notify(participant, command.answer);
      case 'publish.left':
        return this.#leave(participant, command.end);
    }
  }

  #notify({ referrer }: Participant, answer: CallAnswer): void {
    if (referrer === undefined) return;
    const { leg, id } = referrer;
    this.#options.agent.control(leg, { type: 'notify', event: 'refer', id, sipfrag: statusLine(answer) });
  }

  #leave(participant: Participant, end: ConferenceEnd): void {
    const { conference, leg, participantid: id } = participant;
    this.#participants.delete(id);
    this.#byLeg.delete(leg);
    conference.participants.delete(id);
    conference.audioMatrix.forget(id);
    conference.playback.forget(id);
    this.refreshPlayback(conference);
    const departed = departedOf(participant, this.#options.scope.clock.now());
    conference.departed.push(departed);
    if (conference.departed.length > limits.departedParticipants) conference.departed.shift();
    this.#options.events.left(participant, departed, end);
    this.#meetings.send(conference.confid, { type: 'participant.gone', end });
  }
}

/** The leg is not there any more. */
const lost: ConferenceEnd = { type: 'error', reason: 'lost', by: 'platform' };

/** The event of the report of a participant's leg; `undefined` for one that changes no state. `ruri`: the participant. */
function eventOf(report: LegReport, ruri: string): ParticipantEvent | undefined {
  switch (report.type) {
    case 'leg.rang':
      return { type: 'leg.rang', answer: answerOf(report) };
    case 'leg.answered':
      return { type: 'leg.answered', media: report.media };
    case 'leg.media.changed':
      return { type: 'media.changed', media: report.media };
    case 'leg.failed':
      return { type: 'leg.gone', end: endOf(report, ruri), answer: answerOf(report) };
    case 'leg.cancelled':
    case 'leg.ended':
      return { type: 'leg.gone', end: endOf(report, ruri) };
    default:
      return undefined;
  }
}

function answerOf({ status, reason }: CallAnswer): CallAnswer {
  return { status, reason };
}

function endOf(report: LegReport, by: string): ConferenceEnd {
  if (report.type === 'leg.cancelled') return { type: 'cancel', reason: 'cancelled', by };
  if (report.type === 'leg.failed') return { type: 'call_final', reason: `${report.status} ${report.reason}`, by };
  return report.type === 'leg.ended' && report.by === 'remote' ? { type: 'bye', reason: 'left', by } : lost;
}
