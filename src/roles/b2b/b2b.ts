/** The back-to-back user agent: routes calls, forks them, connects their two sides, and tells what becomes of them. */

import { EntityHost } from '../../actors/entity-host.ts';
import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import { dialogMachine } from '../../machines/dialog.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { reasonOf, type SipMessage, type SipRequest } from '../../model/sip/message.ts';
import { StreamSource } from '../../replication/stream-source.ts';
import { UserAgent } from '../../sip/user-agent.ts';
import { Authentication } from './authentication.ts';
import type { Call } from './call.ts';
import { CallEvents } from './call-events.ts';
import { Calls } from './calls.ts';
import { Commands } from './commands.ts';
import { Hops } from './hops.ts';
import { DialogCommands } from './orders.ts';
import { Originating } from './originating.ts';
import type { Parts } from './parts.ts';
import { Registering } from './registering.ts';
import { Reports } from './reports.ts';
import { Router } from './routing.ts';
import { Trunks } from './trunks.ts';

/** Live calls in one answer of `dialog.list`. */
const pageCalls = 200;
/** How long a b2b that drains lets its calls end by themselves, and how long it then waits for their ends (ms). */
const graceMs = 1_000;
const endMs = 5_000;

export function createB2b(scope: RoleScope): Role<'b2b'> {
  const b2b = new B2b(scope);
  return {
    handlers: b2b.handlers,
    flush: () => b2b.tellEvents(),
    drain: () => b2b.drain(),
    stop: () => b2b.stop(),
  };
}

class B2b {
  readonly handlers: Handlers<'b2b'>;
  readonly #scope: RoleScope;
  readonly #parts: Parts;
  readonly #host: EntityHost<typeof dialogMachine>;
  readonly #source: StreamSource;
  readonly #reports: Reports;
  readonly #registering: Registering;
  #isOpen = true;
  #onEmpty: (() => void) | undefined;

  constructor(scope: RoleScope) {
    const { address: b2b, site } = scope.instance;
    this.#scope = scope;
    this.#source = new StreamSource(scope);
    const hops = new Hops(scope, (leg) => this.#reports.lose(leg));
    const agent = this.#makeAgent(hops);
    const authentication = new Authentication(scope);
    const trunks = new Trunks(scope);
    const calls = new Calls(scope, hops);
    const events = new CallEvents(this.#source, { site, b2b });
    const router = new Router(scope, authentication, trunks);
    const tell: Parts['tell'] = ({ dialogid }, event) => void this.#host.send(dialogid, event);
    this.#parts = { scope, agent, calls, events, router, trunks, tell };
    this.#host = this.#makeHost();
    const begin = (call: Call) => this.#begin(call);
    const isOpen = () => this.#isOpen;
    this.#reports = new Reports({ parts: this.#parts, begin, isOpen });
    const respond: UserAgent['respond'] = (request, status, more) => agent.respond(request, status, more);
    this.#registering = new Registering({ scope, authentication, respond });
    const originating = new Originating({ parts: this.#parts, begin, isOpen });
    const commands = new Commands(this.#parts);
    this.handlers = {
      ...this.#source.handlers,
      sip: (message, { from }) => agent.receive(message, from),
      'dialog.command': (body) => commands.take(body),
      'dialog.originate': ({ order }) => originating.take(order),
      'dialog.list': (body) => this.#list(body),
    };
  }

  tellEvents(): void {
    this.#source.flush();
  }

  /** Lets calls end for a moment, then ends them; takes none any more. */
  async drain(): Promise<void> {
    this.#isOpen = false;
    await this.#empty(graceMs);
    for (const call of [...this.#parts.calls.all()]) this.#parts.tell(call, { type: 'end.requested' });
    await this.#empty(endMs);
    this.#bury('the b2b instance stops');
  }

  stop(): void {
    this.#host.stopAll();
    this.#parts.agent.stop();
  }

  #makeAgent(hops: Hops): UserAgent {
    const { instance, clock, random, counters, map, tell, crash } = this.#scope;
    return new UserAgent({
      place: instance.address,
      host: instance.name,
      clock,
      random: random.stream('ids'),
      counters,
      userAgent: 'strowger b2b',
      send: (message, hop) => {
        const way = hops.wayFor(message, hop);
        if (way === undefined) return counters.add('b2b.no_way');
        this.#mark(message);
        tell(way, 'sip', message);
      },
      isLossy: (hop) => hops.isLossy(hop),
      session: { does: 'watch', expiresMs: map.topology.timings.sessionExpiresMs },
      onReport: (leg, report) => this.#reports.hear(leg, report),
      onRequest: (request) => this.#takeOutside(request),
      onCrash: crash,
    });
  }

  #makeHost(): EntityHost<typeof dialogMachine> {
    const { clock, counters, crash } = this.#scope;
    const { calls } = this.#parts;
    const commands = new DialogCommands(this.#parts);
    return new EntityHost({
      machine: dialogMachine,
      clock,
      counters,
      limit: limits.dialogs,
      onCommand: (dialogid, command) => {
        const call = calls.get(dialogid);
        if (call !== undefined) commands.execute(call, command);
      },
      onEnd: (dialogid) => this.#forget(dialogid),
      onCrash: (error) => {
        this.#bury('a bug');
        crash(error);
      },
    });
  }

  /** All that b2b says carries the id of the call. */
  #mark(message: SipMessage): void {
    if (message.inviteid !== undefined) return;
    const ref = this.#parts.calls.leg(message.callid);
    if (ref !== undefined) message.inviteid = ref.call.inviteid;
  }

  #takeOutside(request: SipRequest): void {
    if (request.method === 'REGISTER') this.#registering.take(request);
    else this.#parts.agent.respond(request, request.method === 'OPTIONS' ? 200 : 481);
  }

  /** False: there is no room, and the call is forgotten. */
  #begin(call: Call): boolean {
    const { calls, events } = this.#parts;
    const refusal = this.#host.start(call.dialogid, { isOriginated: call.order !== undefined });
    if (refusal === undefined) return true;
    if (call.isTold) {
      const end = { type: 'error', status: 503, reason: reasonOf(503) } as const;
      events.end(call, end);
      events.gone(call);
      events.stop(call, end);
    }
    calls.delete(call.dialogid);
    return false;
  }

  #forget(dialogid: string): void {
    const { calls, trunks } = this.#parts;
    calls.delete(dialogid);
    trunks.release(dialogid);
    if (calls.size === 0) this.#onEmpty?.();
  }

  #empty(withinMs: number): Promise<void> {
    if (this.#parts.calls.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#scope.clock.setTimer(withinMs, resolve);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Says of calls that did not end that they are dead. */
  #bury(reason: string): void {
    for (const call of this.#parts.calls.all()) if (call.isTold && !call.isGone) this.#parts.events.dead(call, reason);
  }

  #list({ after }: BodyOf<'dialog.list'>): Outcome<ReplyOf<'dialog.list'>> {
    const last = after === undefined ? 0 : Number(after.slice(after.lastIndexOf('-') + 1));
    const page: Call[] = [];
    let next: string | undefined;
    for (const call of this.#parts.calls.all()) {
      if (call.n <= last || !call.isTold || call.isGone) continue;
      if (page.length === pageCalls) {
        next = page.at(-1)?.dialogid;
        break;
      }
      page.push(call);
    }
    const dialogs = page.map((call) => this.#parts.events.recordOf(call));
    const { epoch } = this.#scope;
    return done({ epoch, upTo: this.#source.last, dialogs, ...(next !== undefined && { next }) });
  }
}
