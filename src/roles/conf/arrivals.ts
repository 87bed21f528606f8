/**
 * Calls to conferences: lets a caller into the conference that it names. A room has one home: where no conference of it is
 * here, the other conf instances in reach are asked first, and the caller is sent on (302) to the one that has it.
 */
import { limits } from '../../model/limits.ts';
import { type Replaces, reasonOf, type SipRequest } from '../../model/sip/message.ts';
import { bracketed, hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import { activeInstances } from '../../runtime/finding.ts';
import type { RoleScope } from '../../runtime/role.ts';
import type { PlatformAgent } from '../platform-agent.ts';
import { type Conference, namedBy, type Participant } from './conference.ts';
import type { Conferences } from './conferences.ts';

interface Caller {
  readonly leg: string;
  readonly request: SipRequest;
}

/** A room of which it is not known yet whether it has a home elsewhere, and who waits for that. */
interface Search {
  readonly domain: string;
  readonly number: string;
  readonly room: string;
  readonly callers: Caller[];
}

export class Arrivals {
  readonly #scope: RoleScope;
  readonly #agent: PlatformAgent;
  readonly #conferences: Conferences;
  readonly #searches = new Map<string, Search>();
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
    if ('confid' in named) {
      const conference = this.#conferences.get(named.confid);
      return conference?.domain === domain ? this.#admit(conference, caller) : this.#refuse(caller, 404);
    }
    const here = this.#conferences.atRoom(domain, named.room);
    if (here !== undefined) return this.#admit(here, caller);
    return this.#search({ domain, number, room: named.room }, caller);
  }

  /**
   * Which conference a room has here. Of two instances that look for the home of a room at once the one with the lower srvidx
   * makes it, so that each tells the other the same.
   */
  find(domain: string, room: string, asker: string): string | null {
    const here = this.#conferences.atRoom(domain, room);
    if (here !== undefined) return here.confid;
    const search = this.#searches.get(`${domain}/${room}`);
    const other = this.#scope.map.instances.get(asker);
    const isOurs = other?.role === 'conf' && other.srvidx > this.#scope.instance.srvidx;
    if (search === undefined || !isOurs) return null;
    return this.#conferences.create(domain, search)?.confid ?? null;
  }

  /** Lets nobody in any more. */
  close(): void {
    this.#isClosed = true;
  }

  #search(place: Omit<Search, 'callers'>, caller: Caller): void {
    const { domain, room } = place;
    const key = `${domain}/${room}`;
    const running = this.#searches.get(key);
    if (running !== undefined) return void running.callers.push(caller);
    const search = { ...place, callers: [caller] };
    const others = activeInstances(this.#scope, 'conf', domain).filter((each) => each !== this.#scope.instance);
    if (others.length === 0) return this.#settle(search, undefined);
    this.#searches.set(key, search);
    let open = others.length;
    for (const { address } of others) {
      this.#scope.ask(address, 'conference.find', { domain, room }).then((found) => {
        open -= 1;
        const home = found.ok ? (found.value.confid ?? undefined) : undefined;
        if (this.#searches.get(key) !== search || (home === undefined && open > 0)) return;
        this.#searches.delete(key);
        this.#settle(search, home);
      }, this.#scope.crash);
    }
  }

  /** Whoever has hung up meanwhile has no leg any more. */
  #settle({ domain, number, room, callers }: Search, elsewhere: string | undefined): void {
    const waiting = callers.filter(({ leg }) => this.#agent.view(leg) !== undefined);
    if (waiting.length === 0) return;
    if (this.#isClosed) return this.#refuseAll(waiting, 503);
    let here = this.#conferences.atRoom(domain, room);
    if (here === undefined && elsewhere !== undefined) return this.#sendOn(waiting, domain, elsewhere);
    here ??= this.#conferences.create(domain, { number, room });
    if (here === undefined) return this.#refuseAll(waiting, 503);
    for (const caller of waiting) this.#admit(here, caller);
  }

  #sendOn(callers: readonly Caller[], domain: string, confid: string): void {
    const contacts = [sipUri(`conf-${confid}`, domain)];
    for (const { leg } of callers) this.#agent.tell(leg, { type: 'reject', status: 302, contacts });
  }

  /** A call that takes the place of one that is here: its caller comes, and the other one goes. */
  #replace(caller: Caller, { callid, toTag, fromTag }: Replaces): void {
    const participant = this.#conferences.byLeg(callid);
    const view = this.#agent.view(callid);
    const isMeant = view?.isConfirmed === true && view.local.tag === toTag && view.remote.tag === fromTag;
    if (participant === undefined || !isMeant) return this.#refuse(caller, 481);
    this.#admit(participant.conference, caller, participant);
  }

  #admit(conference: Conference, caller: Caller, replaced?: Participant): void {
    const { leg, request } = caller;
    if (conference.isEnding) return this.#refuse(caller, 404);
    const most = limits.participants + (replaced === undefined ? 0 : 1);
    if (conference.participants.size >= most) return this.#refuse(caller, 486);
    const ruri = bracketed(request.from.uri);
    this.#conferences.join(conference, { leg, isOutgoing: false, ruri, referrer: undefined });
    this.#agent.tell(leg, { type: 'answer' });
    if (replaced === undefined) return;
    this.#conferences.remove(replaced, { type: 'bye', reason: 'replaced', by: ruri });
  }

  #refuseAll(callers: readonly Caller[], status: number): void {
    for (const caller of callers) this.#refuse(caller, status);
  }

  #refuse({ leg }: Caller, status: number): void {
    this.#agent.tell(leg, { type: 'reject', status, reason: reasonOf(status) });
  }
}
