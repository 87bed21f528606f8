/** Devices that the platform does not know: they want to register, or to call, which shows what an edge and a b2b let in. */
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { sipUri } from '../../src/model/sip/uri.ts';
import { refusing } from './behaviour.ts';
import type { OutsideEndpoint } from './endpoints/outside-endpoint.ts';
import { type EndpointContext, newParty } from './endpoints/parties.ts';

/** What a device says of itself, and where it wants to register. */
export interface UnknownDevice {
  readonly ip: string;
  readonly username: string;
  readonly domain: string;
  readonly gate: InstanceEntry;
}

/** For few repetitions where nothing is answered. */
const patienceMs = 1_800;

export class UnknownDevices {
  readonly #context: EndpointContext;
  /** By address. */
  readonly #parties = new Map<string, OutsideEndpoint>();

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

  stop(): void {
    for (const party of this.#parties.values()) party.stop();
    this.#parties.clear();
  }

  #make(ip: string): OutsideEndpoint {
    const owner = {
      reactionTo: () => refusing(404),
      placingTo: () => undefined,
      take: () => {},
    };
    const party = newParty(this.#context, owner, { endpoint: `${ip}:5060`, is: 'unknown device' });
    this.#parties.set(ip, party);
    return party;
  }
}
