/**
 * What sr says to registered devices, through their gates: OPTIONS, whether they are still there; NOTIFY, that the platform has
 * ended their registration (the `deactivated` of RFC 3680, without a subscription).
 */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { Binding } from '../../model/binding.ts';
import { limits } from '../../model/limits.ts';
import type { SipMessage } from '../../model/sip/message.ts';
import { sipUri } from '../../model/sip/uri.ts';
import { UserAgent } from '../../sip/user-agent.ts';

export class DeviceAgent {
  readonly #scope: RoleScope;
  readonly #agent: UserAgent;

  constructor(scope: RoleScope) {
    const { instance, clock, random, counters, map, crash } = scope;
    this.#scope = scope;
    const agent = new UserAgent({
      sentBy: instance.address,
      host: instance.name,
      clock,
      random: random.stream('ids'),
      counters,
      userAgent: 'strowger sr',
      send: (message, hop) => scope.tell(hop, 'sip', message),
      isLossy: () => true,
      session: { does: 'watch', expiresMs: map.topology.timings.sessionExpiresMs },
      // It takes no calls and no registrations by SIP.
      onReport: (leg) => void agent.control(leg, { type: 'end', status: 403 }),
      onRequest: (request) => agent.respond(request, 403),
      onCrash: crash,
    });
    this.#agent = agent;
  }

  receive(message: SipMessage, from: string): void {
    this.#agent.receive(message, from);
  }

  /** The devices that do not answer. */
  async silent(bindings: readonly Binding[]): Promise<Binding[]> {
    const answers = await Promise.all(bindings.map((binding) => this.#isThere(binding)));
    return bindings.filter((_, index) => answers[index] === false);
  }

  /** Notifies a device that it is not registered any more. */
  deactivate({ domain, login, contact, path }: Binding): void {
    const hop = this.#gateFor(path);
    if (hop === undefined) return;
    const to = { uri: sipUri(login, domain) };
    const request = { method: 'NOTIFY', uri: contact, from: { uri: `sip:${domain}` }, to, event: 'reg' } as const;
    this.#agent.request({ ...request, reason: 'deactivated', timeoutMs: limits.deviceProbeMs }, hop, () => {});
  }

  stop(): void {
    this.#agent.stop();
  }

  #isThere({ domain, login, contact, path }: Binding): Promise<boolean> {
    const hop = this.#gateFor(path);
    // No gate is in reach: the device counts as present.
    if (hop === undefined) return Promise.resolve(true);
    const to = { uri: sipUri(login, domain) };
    const request = { method: 'OPTIONS', uri: contact, from: { uri: `sip:${domain}` }, to } as const;
    return new Promise((resolve) => {
      const timeoutMs = limits.deviceProbeMs;
      this.#agent.request({ ...request, timeoutMs }, hop, ({ status }) => resolve(status !== 408));
    });
  }

  /** The gate through which it registered, else another one of that site, else any. */
  #gateFor(path: string): string | undefined {
    const gates = activeInstances(this.#scope, 'sg');
    const site = this.#scope.map.instances.get(path)?.site;
    const gate = gates.find((each) => each.address === path) ?? gates.find((each) => each.site === site) ?? gates[0];
    return gate?.address;
  }
}
