/** The links of the nodes of a live world: WebSockets, of which each node listens on one address. */
import { WsLink } from '../../src/adapters/ws-link.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Link } from '../../src/ports/link.ts';
import type { Random } from '../../src/ports/random.ts';

export interface LiveLinksParts {
  readonly map: ClusterMap;
  readonly clock: Clock;
  /** Cluster secret. */
  readonly secret: string;
  /** Whether the links take their addresses from the topology: other processes run the other nodes. */
  readonly isByTopology: boolean;
  /** Where they listen; default: the host of their addresses. */
  readonly host: string | undefined;
  readonly randomOf: (node: string) => Random;
}

const loopback = '127.0.0.1';

export class LiveLinks {
  readonly #parts: LiveLinksParts;
  readonly #urls = new Map<string, string>();
  readonly #links = new Map<string, WsLink>();

  constructor(parts: LiveLinksParts) {
    this.#parts = parts;
  }

  /** Of two peers the first in the topology dials. */
  linkOf(node: string): Link {
    const { map, clock, secret, isByTopology, randomOf } = this.#parts;
    const order = [...map.nodes.keys()];
    const peers = map.peersOf(node).map((peer) => peer.name);
    const isDialled = (peer: string) => order.indexOf(node) < order.indexOf(peer);
    const { reconnectMinMs, reconnectMaxMs } = map.topology.timings;
    const link = new WsLink({
      self: node,
      listen: isByTopology ? this.#listenAddress(node) : { host: loopback, port: 0 },
      dials: peers.filter(isDialled),
      awaits: peers.filter((peer) => !isDialled(peer)),
      urlOf: (peer) => this.#urls.get(peer) ?? (isByTopology ? `ws://${this.#addressOf(peer)}` : undefined),
      secret,
      clock,
      jitter: randomOf(node).stream('jitter'),
      reconnect: { minMs: reconnectMinMs, maxMs: reconnectMaxMs },
      onListening: (url) => {
        if (!isByTopology) this.#urls.set(node, url);
      },
    });
    this.#links.set(node, link);
    return link;
  }

  /** The frames that wait in the links of each node. */
  queuedFrames(): ReadonlyMap<string, number> {
    return new Map([...this.#links].map(([node, link]) => [node, link.queuedFrames]));
  }

  #addressOf(node: string): string {
    const address = this.#parts.map.node(node).link;
    if (address === undefined)
      throw new Error(`node "${node}" needs a "link" address in the topology to run by itself`);
    return address;
  }

  #listenAddress(node: string): { host: string; port: number } {
    const { host, port } = splitAddress(this.#addressOf(node));
    return { host: this.#parts.host ?? host, port };
  }
}

export function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
