/** A virtual cluster with real gates between an outside in memory and probes inside. */

import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../../src/model/sip/message.ts';
import type { Topology } from '../../../src/model/topology/schema.ts';
import { createEsg } from '../../../src/roles/edge/esg.ts';
import { createSg } from '../../../src/roles/edge/sg.ts';
import { ProbedCluster, type ProbedClusterOptions } from '../cluster/probed-cluster.ts';
import { defaultMap } from '../maps.ts';
import { MemoryOutside, ScriptedEndpoint } from './outside.ts';

export class EdgeCluster {
  readonly probed: ProbedCluster;
  readonly outside: MemoryOutside;

  private constructor(options: ProbedClusterOptions) {
    this.probed = new ProbedCluster({
      ...options,
      roles: {
        sg: (scope, stores) => createSg(scope, { outside: this.outside, stores }),
        esg: (scope, stores) => createEsg(scope, { outside: this.outside, stores }),
        ...options.roles,
      },
    });
    this.outside = new MemoryOutside(this.probed.clock);
  }

  /** `before`: attaches endpoints outside before the cluster starts. */
  static async start(
    options: ProbedClusterOptions = {},
    before: (outside: MemoryOutside) => void = () => {},
  ): Promise<EdgeCluster> {
    const cluster = new EdgeCluster(options);
    before(cluster.outside);
    await cluster.probed.start();
    return cluster;
  }

  endpoint(endpoint: string, answer?: ConstructorParameters<typeof ScriptedEndpoint>[2]): ScriptedEndpoint {
    return new ScriptedEndpoint(this.outside, endpoint, answer);
  }

  /** What SIP the probes have got, and which. */
  get inside(): { by: string; message: SipMessage }[] {
    return this.probed.received
      .filter(({ envelope }) => envelope.type === 'sip')
      .map(({ by, envelope }) => ({ by, message: envelope.body as SipMessage }));
  }

  get requestsInside(): SipRequest[] {
    return this.inside
      .map(({ message }) => message)
      .filter((message): message is SipRequest => message.kind === 'request');
  }

  get responsesInside(): SipResponse[] {
    return this.inside
      .map(({ message }) => message)
      .filter((message): message is SipResponse => message.kind === 'response');
  }

  /** Sends a message from an instance to a gate. */
  tell(from: string, to: string, message: SipMessage): void {
    this.probed.scope(from).tell(this.probed.map.instanceNamed(to)?.address ?? to, 'sip', message);
  }

  /** Answers a request that a probe has got. */
  answer(by: string, request: SipRequest, response: SipResponse): void {
    this.probed.scope(by).tell(request.via[0] as string, 'sip', response);
  }

  count(node: string, counter: string): number {
    return this.probed.node(node).counters.get(counter);
  }

  pass(ms = 50): Promise<void> {
    return this.probed.pass(ms);
  }
}

/** The default cluster with some things other. */
export function mapWith(change: Partial<Topology>): ClusterMap {
  return new ClusterMap({ ...defaultMap.topology, ...change });
}
