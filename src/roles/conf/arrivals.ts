/**
 * Calls to conferences: lets a caller into the conference that it names. A room has one home: where no conference of it is
 * here, the other conf instances in reach are asked first, and the caller is sent on (302) to the one that has it.
 */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import { type Replaces, reasonOf, type SipRequest } from '../../model/sip/message.ts';
import { bracketed, hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import type { PlatformAgent } from '../platform-agent.ts';
import { type Conference, namedBy, type Participant } from './conference.ts';
import type { Conferences } from './conferences.ts';

type Question = BodyOf<'conference.find'>;

interface Caller {
  readonly leg: string;
  readonly request: SipRequest;
}

type RoomAddress = { readonly domain: string; readonly number: string; readonly room: string };
type Home = { readonly confid: string | null };

/** A room of which it is not known yet whether it has a home elsewhere, and who waits for that. */
interface Search extends RoomAddress {
  readonly sinceMs: number;
  readonly callers: Caller[];
  /** Other instances that look for its home as well. */
  readonly others: ((home: Home) => void)[];
}

export class Arrivals {
  readonly #scope: RoleScope;
  readonly #agent: PlatformAgent;
  readonly #conferences: Conferences;
  readonly #searches = new Map<string, Search>();
  /** The latest moment at which another instance began to look for a home. */
  #heardMs = 0;
  #isClosed = false;

  constructor(scope: RoleScope, agent: PlatformAgent, conferences: Conferences) {
    this.#scope = scope;
    this.#agent = agent;
    this.#conferences = conferences;
  }

  /** Takes a new leg: answers it, sends it on or refuses it, now or when the others have said what they have. */
  take(leg: string, request: SipRequest): void {
    const caller = { leg, request };
    const { domain = hostOf(request.to.uri), replaces } = request;
    const number = userOf(request.uri);
    const named = namedBy(number);
    if (this.#isClosed) return this.#refuse(caller, 503);
    if (replaces !== undefined) return this.#replace(caller, replaces);
    if (named === undefined || !this.#scope.map.domains.has(domain)) return this.#refuse(caller, 404);
    if ('room' in named) return this.#enter({ domain, number, room: named.room }, caller);
    const conference = this.#conferences.lately(named.confid);
    if (conference?.domain !== domain) return this.#refuse(caller, 404);
    const hasEnded = !this.#conferences.takesParticipants(conference);
    // A caller that was sent on has called the room, which has another conference then.
    return hasEnded && conference.isHome ? this.#enter(conference, caller) : this.#admit(conference, caller);
  }

  #enter({ domain, number, room }: RoomAddress, caller: Caller): void {
    const here = this.#conferences.atRoom(domain, number);
    if (here !== undefined) return this.#admit(here, caller);
    return this.#search({ domain, number, room }, caller);
  }

  /**
   * Which conference a room has here. Of instances that look for the home of a room at once all but the first wait for its
   * answer: the first by the time of a clock that is never behind one that it has heard of (Lamport), then by srvidx.
   */
  find({ domain, number, sinceMs }: Question, asker: string): Home | Promise<Home> {
    const here = this.#conferences.atRoom(domain, number);
    if (here !== undefined) return this.#homeAt(here);
    if (sinceMs === undefined) return nowhere;
    this.#heardMs = Math.max(this.#heardMs, sinceMs);
    const search = this.#searches.get(keyOf({ domain, number }));
    const { instance, map } = this.#scope;
    const leadMs = sinceMs - (search?.sinceMs ?? Infinity);
    const isFirst = leadMs > 0 || (leadMs === 0 && instance.srvidx < (map.instances.get(asker)?.srvidx ?? 0));
    if (search === undefined || !isFirst) return nowhere;
    return new Promise((resolve) => search.others.push(resolve));
  }

  #homeAt(conference: Conference): Home {
    conference.isHome = true;
    return { confid: conference.confid };
  }

  /** Refuses all callers from now on. */
  close(): void {
    this.#isClosed = true;
  }

  #search(room: RoomAddress, caller: Caller): void {
    const { clock, instance, ask, crash } = this.#scope;
    const { domain, number } = room;
    const key = keyOf(room);
    const running = this.#searches.get(key);
    if (running !== undefined) return void running.callers.push(caller);
    const sinceMs = Math.max(clock.now(), this.#heardMs + 1);
    const search = { ...room, sinceMs, callers: [caller], others: [] };
    const asked = activeInstances(this.#scope, 'conf', domain).filter((each) => each !== instance);
    if (asked.length === 0) return void this.#settle(search, undefined);
    this.#searches.set(key, search);
    let open = asked.length;
    for (const { address } of asked) {
      ask(address, 'conference.find', { domain, number, sinceMs }).then((found) => {
        open -= 1;
        const home = found.ok ? (found.value.confid ?? undefined) : undefined;
        if (this.#searches.get(key) === search && (home !== undefined || open === 0)) this.#end(search, home);
      }, crash);
    }
  }

  #end(search: Search, elsewhere: string | undefined): void {
    this.#searches.delete(keyOf(search));
    const confid = this.#settle(search, elsewhere) ?? null;
    const here = confid === null || search.others.length === 0 ? undefined : this.#conferences.get(confid);
    if (here !== undefined) here.isHome = true;
    for (const resolve of search.others) resolve({ confid });
  }

  /** Lets the callers in, or sends them on; answers the home of the room. A caller that has hung up has no leg any more. */
  #settle({ domain, number, room, callers }: Search, elsewhere: string | undefined): string | undefined {
    const waiting = callers.filter(({ leg }) => this.#agent.view(leg) !== undefined);
    const here = this.#conferences.atRoom(domain, number);
    if (here === undefined && elsewhere !== undefined) this.#sendOn(waiting, domain, elsewhere);
    if (here === undefined && (elsewhere !== undefined || waiting.length === 0)) return elsewhere;
    const home = here ?? (this.#isClosed ? undefined : this.#conferences.create(domain, { number, room }));
    for (const caller of waiting) {
      if (home === undefined) this.#refuse(caller, 503);
      else this.#admit(home, caller);
    }
    return home?.confid;
  }

  #sendOn(callers: readonly Caller[], domain: string, confid: string): void {
    const contacts = [sipUri(`conf-${confid}`, domain)];
    for (const { leg } of callers) this.#agent.control(leg, { type: 'reject', status: 302, contacts });
  }

  /** A call that takes the place of one that is here: its caller comes, with its seat in a meeting and what it hears, and the other one goes. */
  #replace(caller: Caller, { callid, toTag, fromTag }: Replaces): void {
    const participant = this.#conferences.byLeg(callid);
    const view = this.#agent.view(callid);
    const isMeant = view?.isAnswered === true && view.local.tag === toTag && view.remote.tag === fromTag;
    if (participant === undefined || !isMeant) return this.#refuse(caller, 481);
    this.#admit(participant.conference, caller, participant);
  }

  #admit(conference: Conference, caller: Caller, replaced?: Participant): void {
    const { leg, request } = caller;
    if (!this.#conferences.takesParticipants(conference)) return this.#refuse(caller, 404);
    const most = limits.participants + (replaced === undefined ? 0 : 1);
    if (conference.participants.size >= most) return this.#refuse(caller, 486);
    const ruri = bracketed(request.from.uri);
    const arrival = { leg, isOutgoing: false, ruri, referrer: undefined, member: replaced?.member };
    const { participantid } = this.#conferences.join(conference, arrival);
    this.#agent.control(leg, { type: 'answer' });
    if (replaced === undefined) return;
    conference.audioMatrix.replace(replaced.participantid, participantid);
    this.#conferences.remove(replaced, { type: 'bye', reason: 'replaced', by: ruri });
  }

  #refuse({ leg }: Caller, status: number): void {
    this.#agent.control(leg, { type: 'reject', status, reason: reasonOf(status) });
  }
}

const nowhere: Home = { confid: null };

function keyOf({ domain, number }: Pick<RoomAddress, 'domain' | 'number'>): string {
  return `${domain}/${number}`;
}
