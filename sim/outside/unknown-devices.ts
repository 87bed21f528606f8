/**
 * Devices that are not of the topology: they want to register, or to call, which shows what an edge and a b2b let in. Of one user
 * several may have registered, each of which reacts to calls in its own way.
 */
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { credentialsFor } from '../../src/model/sip/digest.ts';
import type { SipCredentials, SipResponse } from '../../src/model/sip/message.ts';
import { sipUri } from '../../src/model/sip/uri.ts';
import type { Behaviour } from '../../src/model/topology/schema.ts';
import { type CallReaction, completedFor, reactionOf, refusing } from './behaviour.ts';
import type { CallView } from './endpoints/endpoint-call.ts';
import type { EndpointOwner, OutsideEndpoint } from './endpoints/outside-endpoint.ts';
import { type EndpointContext, newParty } from './endpoints/parties.ts';

/** What a device says of itself, and where it wants to register. */
export interface UnknownDevice {
  readonly ip: string;
  readonly username: string;
  readonly domain: string;
  readonly gate: InstanceEntry;
}

/** A REGISTER of a device with credentials. */
export interface Registration extends UnknownDevice {
  readonly pwd: string;
  /** Seconds that it asks for; 0: it leaves. */
  readonly expires: number;
  /** URI where calls reach it. Default: its address. */
  readonly contact?: string;
  /** How it reacts to calls from now on. Default: it refuses them, or as it has said before. */
  readonly behaviour?: Behaviour;
}

/** Until the answer of an instance that itself asks others. */
const answerMs = 6_000;
/** For few repetitions where nothing is answered. */
const patienceMs = 1_800;

export class UnknownDevices {
  readonly #context: EndpointContext;
  /** By address. */
  readonly #parties = new Map<string, OutsideEndpoint>();
  readonly #reactions = new Map<string, CallReaction>();
  #registers = 0;

  constructor(context: EndpointContext) {
    this.#context = context;
  }

  /** It has no credentials: it is refused, or not answered. */
  register({ ip, username, domain, gate }: UnknownDevice): void {
    const party = this.#parties.get(ip) ?? this.#make(ip);
    const who = { from: { uri: sipUri(username, domain) }, to: { uri: sipUri(username, domain) } };
    const request = { method: 'REGISTER', uri: `sip:${domain}`, ...who, timeoutMs: patienceMs } as const;
    party.request(request, this.#context.map.endpointOf(gate), () => {});
  }

  /** The last answer to a REGISTER, which comes again with credentials where these are asked for. */
  async registerAs(registration: Registration): Promise<SipResponse> {
    const { ip, username, domain, pwd, behaviour } = registration;
    if (behaviour !== undefined) this.#reactions.set(ip, completedFor(domain, reactionOf('', behaviour)));
    const first = await this.#ask(registration);
    if (first.status !== 401 || first.challenge === undefined) return first;
    const request = { method: 'REGISTER', uri: `sip:${domain}` } as const;
    const credentials = credentialsFor({ username, pwd }, first.challenge, request);
    return this.#ask(registration, credentials);
  }

  #ask(
    { ip, username, domain, gate, expires, contact }: Registration,
    credentials?: SipCredentials,
  ): Promise<SipResponse> {
    const party = this.#parties.get(ip) ?? this.#make(ip);
    const uri = sipUri(username, domain);
    this.#registers += 1;
    const place = {
      callid: `registration-of-${ip}`,
      cseq: this.#registers,
      device: ip,
      expires,
      ...(contact && { contact }),
    };
    const who = { method: 'REGISTER', uri: `sip:${domain}`, from: { uri }, to: { uri } } as const;
    const request = { ...who, ...place, timeoutMs: answerMs, ...(credentials && { credentials }) };
    return new Promise((resolve) => party.request(request, this.#context.map.endpointOf(gate), resolve));
  }

  /** A call in the name of a user, without credentials: it is refused, or not answered. */
  call({ ip, username, domain, gate }: UnknownDevice, number: string): void {
    const party = this.#parties.get(ip) ?? this.#make(ip);
    const uri = sipUri(number, domain);
    const hop = this.#context.map.endpointOf(gate);
    party.call({
      uri,
      from: { uri: sipUri(username, domain) },
      to: { uri },
      hop,
      patienceMs: patienceMs,
      hangupMs: 500,
    });
  }

  /** The calls of a device. */
  callsAt(ip: string): readonly CallView[] {
    return this.#parties.get(ip)?.calls() ?? [];
  }

  stop(): void {
    for (const party of this.#parties.values()) party.stop();
    this.#parties.clear();
  }

  #make(ip: string): OutsideEndpoint {
    const owner: EndpointOwner = {
      reactionTo: () => this.#reactions.get(ip) ?? refusing(404),
      placingTo: () => undefined,
      // A registrar asks whether a device is still there.
      take: (request) => party.respond(request, 200),
    };
    const party: OutsideEndpoint = newParty(this.#context, owner, { endpoint: `${ip}:5060`, is: 'unknown device' });
    this.#parties.set(ip, party);
    return party;
  }
}
