/**
 * The events of conferences (class confevents). conf_start, conf_stop and their fields are public; part_start and part_stop,
 * and what is in `participantsdata`, are chosen.
 */
import type { ConferenceEnd } from '../../machines/conference.ts';
import { isoTime } from '../../model/time.ts';
import type { EventSource } from '../stream/source.ts';
import { type Conference, confnumberOf, type Departed, type Participant } from './conference.ts';

type Name = 'conf_start' | 'conf_stop' | 'part_start' | 'part_stop';
type More = Readonly<Record<string, unknown>>;

export class ConferenceEvents {
  readonly #source: EventSource;

  constructor(source: EventSource) {
    this.#source = source;
  }

  start(conference: Conference): void {
    this.#tell(conference, 'conf_start', { participants: 0, participantsdata: [] });
  }

  stop(conference: Conference, end: ConferenceEnd): void {
    const { came: participants, departed: participantsdata } = conference;
    this.#tell(conference, 'conf_stop', { participants, participantsdata: [...participantsdata], ...end });
  }

  joined({ conference, participantid, leg: callid, ruri }: Participant): void {
    this.#tell(conference, 'part_start', { participantid, callid, ruri }, [participantid]);
  }

  left({ conference, participantid }: Participant, departed: Departed, end: ConferenceEnd): void {
    this.#tell(conference, 'part_stop', { ...departed, ...end }, [participantid]);
  }

  #tell(conference: Conference, name: Name, more: More, about: readonly string[] = []): void {
    const { confid, domain, number, room, startts } = conference;
    const place = { confid, confnum: confnumberOf(conference), room, confdomain: domain };
    const data = { ...place, invitets: isoTime(startts), isrec: false, ...more };
    const objects = [confid, number, ...about];
    this.#source.tell({ event: { class: 'confevents', name, domains: [domain], objects, data } });
  }
}
