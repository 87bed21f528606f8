/**
 * Makes the events of conferences and of selector meetings (classes confevents and selectorevents, declared in
 * `model/events/confevents.ts`).
 */
import type { ConferenceEnd } from '../../machines/conference/conference.ts';
import { participantOfSeat } from '../../model/entities/selector.ts';
import type { confevents } from '../../model/events/confevents.ts';
import { isoTime } from '../../model/time.ts';
import type { StreamSource } from '../../replication/stream-source.ts';
import { type Conference, confnumberOf, type Departed, type Participant } from './conference.ts';

type Name = keyof typeof confevents;
type MeetingState = 'connecting' | 'online' | 'terminating';
type More = Readonly<Record<string, unknown>>;

export class ConferenceEvents {
  readonly #source: StreamSource;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  start(conference: Conference): void {
    this.#publish(conference, 'conf_start', { participants: 0, participantsdata: [] });
  }

  stop(conference: Conference, end: ConferenceEnd): void {
    const { came: participants, departed: participantsdata } = conference;
    this.#publish(conference, 'conf_stop', { participants, participantsdata: [...participantsdata], ...end });
  }

  joined({ conference, participantid, leg: callid, ruri }: Participant): void {
    this.#publish(conference, 'part_start', { participantid, callid, ruri }, [participantid]);
  }

  left({ conference, participantid }: Participant, departed: Departed, end: ConferenceEnd): void {
    this.#publish(conference, 'part_stop', { ...departed, ...end }, [participantid]);
  }

  /** Publishes the state that a selector meeting has entered; other conferences have none. */
  meeting({ meeting, confid, domain }: Conference, state: MeetingState): void {
    if (meeting === undefined) return;
    const about = { domains: [domain], objects: [meeting.id, confid] };
    const data = { selectorid: meeting.id, confid, state: `$${state}` };
    this.#source.publish({ event: { class: 'selectorevents', name: 'state_changed', ...about, data } });
  }

  /** Publishes that a participant of a selector meeting asks to speak, or no longer does. */
  hand({ conference, participantid, member = '', isHandRaised: is_hand_raised }: Participant): void {
    const { meeting, confid, domain } = conference;
    if (meeting === undefined) return;
    const about = { domains: [domain], objects: [meeting.id, confid, participantid] };
    const data = { selectorid: meeting.id, confid, participantid: participantOfSeat(member).id, is_hand_raised };
    this.#source.publish({ event: { class: 'selectorevents', name: 'hand_changed', ...about, data } });
  }

  #publish(conference: Conference, name: Name, more: More, about: readonly string[] = []): void {
    const { confid, domain, number, room, startts } = conference;
    const ids = { confid, confnum: confnumberOf(conference), room, confdomain: domain };
    const data = { ...ids, invitets: isoTime(startts), isrec: false, ...more };
    const objects = [confid, number, ...about];
    this.#source.publish({ event: { class: 'confevents', name, domains: [domain], objects, data } });
  }
}
