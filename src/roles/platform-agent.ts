/**
 * The user agent of conf and ivr. It talks only to b2b instances, inside the cluster, where messages are not lost while a
 * route exists. A leg whose b2b was unreachable for `timings.callGoneMs` or has restarted is lost.
 */

import { activeForCall, type RoleScope } from '../cluster/role.ts';
import type { SipMessage } from '../model/sip/message.ts';
import { hostOf } from '../model/sip/uri.ts';
import { newCallid } from '../sip/outgoing-messages.ts';
import { type LegOperation, type LegReport, type LegView, type OutgoingCall, UserAgent } from '../sip/user-agent.ts';
import { Partners } from './partners.ts';

const finals: ReadonlySet<LegReport['type']> = new Set(['leg.cancelled', 'leg.failed', 'leg.ended']);

export class PlatformAgent {
  readonly #scope: RoleScope;
  readonly #agent: UserAgent;
  readonly #onReport: (leg: string, report: LegReport) => void;
  /** The b2b instances of its legs. */
  readonly #partners: Partners;
  #called = 0;

  constructor(scope: RoleScope, onReport: (leg: string, report: LegReport) => void) {
    this.#scope = scope;
    this.#onReport = onReport;
    const { instance, clock, random, counters, map, crash } = scope;
    const agent = new UserAgent({
      sentBy: instance.address,
      host: instance.name,
      clock,
      random: random.stream('ids'),
      counters,
      userAgent: `strowger ${instance.role}`,
      send: (message, hop) => this.#send(message, hop),
      isLossy: () => false,
      session: { does: 'refresh', expiresMs: map.topology.timings.sessionExpiresMs },
      onReport: (leg, report) => this.#report(leg, report),
      onRequest: (request) => agent.respond(request, request.method === 'OPTIONS' ? 200 : 403),
      onCrash: crash,
    });
    this.#agent = agent;
    this.#partners = new Partners(scope, (leg) => agent.lose(leg));
  }

  receive(message: SipMessage, from: string): void {
    this.#agent.receive(message, from);
  }

  /** The b2b for calls of a domain to a URI: the own site's in turn; if it has none, the nearest one. */
  hopFor(domain: string, uri: string): string | undefined {
    const all = activeForCall(this.#scope, 'b2b', [domain, hostOf(uri)]);
    const own = all.filter(({ site }) => site === this.#scope.instance.site);
    this.#called += 1;
    return (own[this.#called % own.length] ?? all[0])?.address;
  }

  /** A name for a new leg: its Call-Id. */
  newLeg(): string {
    return newCallid(this.#scope.random.stream('ids'));
  }

  /** Starts a call. Reports of the leg may arrive before this returns. */
  call(options: OutgoingCall & { readonly callid: string }): void {
    this.#partners.join(options.hop, options.callid);
    this.#agent.call(options);
  }

  control(leg: string, operation: LegOperation): boolean {
    return this.#agent.control(leg, operation);
  }

  view(leg: string): LegView | undefined {
    return this.#agent.view(leg);
  }

  stop(): void {
    this.#agent.stop();
    this.#partners.stop();
  }

  #send(message: SipMessage, hop: string): void {
    if (this.#scope.map.instances.has(hop)) this.#scope.tell(hop, 'sip', message);
    else this.#scope.counters.add('sip.no_such_hop');
  }

  #report(leg: string, report: LegReport): void {
    if (report.type === 'leg.invited') this.#partners.join(report.from, leg);
    if (finals.has(report.type)) this.#partners.leave(leg);
    this.#onReport(leg, report);
  }
}
