/**
 * The common part of the SIP gates: a stateless proxy between phones or providers outside and role instances inside. It
 * rejects banned addresses, applies the border rules, limits packets per second, and adds itself to `via`, so that
 * responses are routed back. The gate decides where a request goes and what is added to it.
 */

import { rendezvousChoice } from '../../cluster/membership/instance-choice.ts';
import { activeForCall, type RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { isServing } from '../../model/cluster/states.ts';
import { limits } from '../../model/limits.ts';
import type { BorderVerdict } from '../../model/numbers/border-rules.ts';
import {
  responseTo,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  withoutVerdict,
} from '../../model/sip/message.ts';
import { hostOf, userOf } from '../../model/sip/uri.ts';
import type { Outside, OutsideLine } from '../../ports/outside.ts';
import type { Stores } from '../../ports/store.ts';
import { Intruders } from '../intruders.ts';
import { NetworkFilter } from '../network-filter.ts';
import { Border } from './border.ts';

/**
 * The active b2b for a Call-Id that serves the first of `domains`, if possible all of them (none: any b2b): of the own
 * site, else of the first other site that has one. The choice is a hash, so that retries and CANCELs reach the same
 * instance without state, and when an instance stops only its calls move.
 */
function b2bFor(scope: RoleScope, callid: string, domains: readonly string[]): InstanceEntry | undefined {
  const able = activeForCall(scope, 'b2b', domains);
  return rendezvousChoice(
    callid,
    able.filter(({ site }) => site === able[0]?.site),
  );
}

/**
 * The b2b for a request from outside: in a dialog, the one named by its Request-URI, if reachable; else (a new call, its
 * CANCEL, its ACK to a refusal, a registration) one by Call-Id. `undefined`: no b2b is reachable that may have it. `domain`: the
 * domain that calls, if it is not that of From.
 */
export function selectB2b(
  scope: RoleScope,
  { uri, to, from, callid, method }: SipRequest,
  domain = hostOf(from.uri),
): string | undefined {
  const called = hostOf(uri);
  const named = to.tag === undefined ? undefined : scope.map.instanceNamed(called);
  if (named?.role === 'b2b') return isServingAt(scope, named.address) ? named.address : undefined;
  // Any b2b passes a registration on, and refuses an unknown domain.
  const isBound = method !== 'REGISTER' && scope.map.domains.has(domain);
  return b2bFor(scope, callid, isBound ? [domain, called] : [])?.address;
}

/** Whether an instance inside is reachable and has its calls. */
export function isServingAt({ map, view }: RoleScope, address: string): boolean {
  return isServing(view.statusOf(map.instance(address)));
}

/** How late a new call may reach its b2b: of one that is silent for longer, a later copy goes to another b2b, or it has been refused. (chosen) */
const newCallLastsMs = 2_000;

const platformFields = ['account', 'esgdlg', 'label', 'domain', 'inviteid', 'path', 'source'] as const;

/** The request without the fields that only the platform may set. */
export function asFromOutside(request: SipRequest): SipRequest {
  if (!platformFields.some((field) => field in request)) return request;
  const { account, esgdlg, label, domain, inviteid, path, source, ...rest } = request;
  return rest;
}

/** The response without the fields that only the platform may set, or see. */
function withoutPlatformFields(response: SipResponse): SipResponse {
  const shown = withoutVerdict(response);
  if (!('account' in shown)) return shown;
  const { account, ...rest } = shown;
  return rest;
}

/** The next hop of a request with the gate's additions, or the status of its refusal. */
export type ForwardDecision = { readonly to: string; readonly request: SipRequest } | { readonly status: number };

/** What a gate needs of its node. */
export interface EdgePorts {
  readonly outside: Outside;
  /** Its bans are there. */
  readonly stores: Stores;
}

export interface EdgeOptions extends EdgePorts {
  readonly scope: RoleScope;
  /** Handles a request from an endpoint outside. `undefined`: the gate handles it itself. */
  readonly inward: (request: SipRequest, from: string) => ForwardDecision | undefined;
  /** Handles a request from an instance inside. */
  readonly outward: (request: SipRequest, from: string) => ForwardDecision;
  /** Called with each passing response before it is forwarded. `from`: the instance inside, or the endpoint outside. */
  readonly onResponse?: (response: SipResponse, from: string) => void;
  /** Called with a response to a request of the gate itself. */
  readonly onOwnResponse?: (response: SipResponse, from: string) => void;
}

export class Edge {
  /** The gate's SIP endpoint outside. */
  readonly endpoint: string;
  readonly filter: NetworkFilter;
  readonly handlers;
  readonly #options: EdgeOptions;
  readonly #scope: RoleScope;
  readonly #address: string;
  readonly #border: Border;
  readonly #intruders: Intruders;
  #line: OutsideLine | undefined;
  #isOver = false;
  #secondMs = 0;
  #packets = 0;

  constructor(options: EdgeOptions) {
    const { map, instance } = options.scope;
    this.#options = options;
    this.#scope = options.scope;
    this.#address = instance.address;
    this.endpoint = map.endpointOf(instance);
    this.filter = new NetworkFilter(options.scope, options.stores);
    this.#intruders = new Intruders(options.scope, this.filter);
    this.#border = new Border(options.scope);
    this.handlers = {
      ...this.filter.handlers,
      ...this.#border.handlers,
      sip: (message: SipMessage, { from }: Envelope) => this.#fromInside(message, from),
    };
  }

  /** Attaches to its endpoint when its bans hold, and receives from then on, unless it has stopped meanwhile. */
  async open(): Promise<void> {
    await this.filter.ready;
    if (this.#isOver) return;
    this.#line ??= this.#options.outside.attach(this.endpoint, (message, from) => {
      // An error inside must not be visible outside.
      try {
        this.#fromOutside(message, from);
      } catch (error) {
        this.#scope.crash(error);
      }
    });
  }

  get isOpen(): boolean {
    return this.#line !== undefined;
  }

  stop(): void {
    this.#isOver = true;
    this.#line?.detach();
    this.#line = undefined;
    this.filter.stop();
    this.#intruders.stop();
  }

  /** Sends a request or response of the gate itself. */
  send(message: SipMessage, to: string): void {
    this.#line?.send(to, message);
  }

  /** Records that an address failed to authenticate. */
  suspect(from: string): void {
    this.#intruders.failed(addressOf(from));
  }

  #fromOutside(message: SipMessage, from: string): void {
    const ip = addressOf(from);
    if (this.filter.isBanned(ip)) return this.#drop('banned');
    const verdict = this.#border.rules.verdictOnAddress(ip);
    if (verdict !== 'allow') return this.#reject(message, from, verdict);
    if (message.kind === 'response') {
      if (this.#isOverloaded()) return this.#drop('overloaded');
      return this.#responseFromOutside(message, from);
    }
    if (message.via[0] !== from) return this.#drop('wrong_via');
    if (this.#hasPassed(message)) return this.#drop('loop');
    if (this.#isOfRefusal(message)) return this.#drop('ack');
    if (this.#isOverloaded()) return this.#refuseOutside(message, from, 503);
    if (message.maxForwards <= 0) return this.#refuseOutside(message, from, 483);
    if (!this.#border.rules.isEmpty) {
      const { uri } = message.from;
      const names = { domain: hostOf(uri), username: userOf(uri), useragent: message.userAgent ?? '' };
      const second = this.#border.rules.verdictOn({ ip, ...names });
      if (second !== 'allow') return this.#reject(message, from, second);
    }
    return this.#requestFromOutside(message, from);
  }

  #requestFromOutside(message: SipRequest, from: string): void {
    const decision = this.#options.inward(message, from);
    if (decision === undefined) return;
    if ('status' in decision) return this.#refuseOutside(message, from, decision.status);
    const isNewCall = message.method === 'INVITE' && message.to.tag === undefined;
    const lastsMs = isNewCall ? newCallLastsMs : undefined;
    this.#scope.tell(decision.to, 'sip', this.#stamped(decision.request, this.#address), lastsMs);
  }

  #responseFromOutside(response: SipResponse, from: string): void {
    const [own, next] = response.via;
    if (own !== this.endpoint) return this.#drop('wrong_via');
    const { onOwnResponse } = this.#options;
    if (next === undefined && onOwnResponse !== undefined) return onOwnResponse(response, from);
    if (next === undefined || !this.#scope.map.instances.has(next)) return this.#drop('wrong_via');
    const taken = withoutPlatformFields(response);
    this.#options.onResponse?.(taken, from);
    this.#scope.tell(next, 'sip', { ...taken, via: response.via.slice(1) });
  }

  #fromInside(message: SipMessage, from: string): void {
    if (message.kind === 'response') return this.#responseFromInside(message, from);
    if (message.via[0] !== from || !this.#scope.map.instances.has(from)) return this.#drop('wrong_via');
    if (this.#hasPassed(message)) return this.#drop('loop');
    if (this.#isOfRefusal(message)) return this.#drop('ack');
    if (this.#isOverloaded()) return this.#refuseInside(message, from, 503);
    if (message.maxForwards <= 0) return this.#refuseInside(message, from, 483);
    const decision = this.#options.outward(message, from);
    if ('status' in decision) return this.#refuseInside(message, from, decision.status);
    this.send(this.#stamped(decision.request, this.endpoint), decision.to);
  }

  #responseFromInside(response: SipResponse, from: string): void {
    const [own, next] = response.via;
    if (own !== this.#address || next === undefined || next.includes('/')) return this.#drop('wrong_via');
    if (this.#isOverloaded()) return this.#drop('overloaded');
    if (response.isCredentialsWrong === true) this.suspect(next);
    this.#options.onResponse?.(response, from);
    this.send({ ...withoutPlatformFields(response), via: response.via.slice(1) }, next);
  }

  #stamped(request: SipRequest, sentBy: string): SipRequest {
    return { ...request, maxForwards: request.maxForwards - 1, via: [sentBy, ...request.via] };
  }

  #hasPassed({ via }: SipRequest): boolean {
    return via.includes(this.endpoint) || via.includes(this.#address);
  }

  #reject(message: SipMessage, from: string, verdict: BorderVerdict): void {
    if (verdict === 'deny' && message.kind === 'request') return this.#refuseOutside(message, from, 403);
    this.#drop('border');
  }

  #refuseOutside(request: SipRequest, from: string, status: number): void {
    const refusal = this.#refusalOf(request, status);
    if (refusal !== undefined) this.send(refusal, from);
  }

  #refuseInside(request: SipRequest, from: string, status: number): void {
    const refusal = this.#refusalOf(request, status);
    if (refusal !== undefined) this.#scope.tell(from, 'sip', refusal);
  }

  /**
   * `undefined`: it is not answered. So is an ACK never, and what ends a call is not refused for the moment: it comes again until it is
   * answered, and a sender that was refused would leave the other party alone in the call.
   */
  #refusalOf(request: SipRequest, status: number): SipResponse | undefined {
    if (request.method === 'ACK') return void this.#drop('ack');
    if (status === 503 && (request.method === 'BYE' || request.method === 'CANCEL')) return void this.#drop('unserved');
    this.#scope.counters.add(`edge.refused.${status}`);
    const { to } = request;
    return responseTo(request, status, { to: to.tag === undefined ? { ...to, tag: this.#refusalTag(request) } : to });
  }

  /**
   * Whether it is the ACK to a refusal of this gate, or of one for which it stands in: it ends here, for a later copy of the request may
   * have passed, and none has where the other gate has refused it.
   */
  #isOfRefusal({ method, callid, to: { tag = '' } }: SipRequest): boolean {
    if (method !== 'ACK' || !tag.endsWith(`.${callid}`)) return false;
    return this.#scope.map.instanceNamed(tag.slice(0, -callid.length - 1))?.role === this.#scope.instance.role;
  }

  /** The tag of the gate's own answers: always the same for one Call-Id, since the gate keeps no state (RFC 3261, 8.2.7). */
  #refusalTag({ callid }: SipRequest): string {
    return `${this.#scope.instance.name}.${callid}`;
  }

  #drop(reason: string): void {
    this.#scope.counters.add(`edge.dropped.${reason}`);
  }

  /** Counts a packet; true when the limit per second is exceeded. */
  #isOverloaded(): boolean {
    const nowMs = this.#scope.clock.now();
    if (nowMs - this.#secondMs >= 1_000) [this.#secondMs, this.#packets] = [nowMs, 0];
    this.#packets += 1;
    return this.#packets > limits.sgPackets;
  }
}

/** The IP address of an endpoint. */
export function addressOf(endpoint: string): string {
  const end = endpoint.indexOf(':');
  return end < 0 ? endpoint : endpoint.slice(0, end);
}

/** Whether the host of a URI is an endpoint outside, `ip:port`. */
export function isEndpoint(host: string): boolean {
  return endpointShape.test(host);
}

const endpointShape = /^\d+\.\d+\.\d+\.\d+:\d+$/;
