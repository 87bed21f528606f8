/** The views of all nodes of a map, with lines between them that a test cuts and mends: no clock, no links, no pings. */

import { ClusterView } from '../../../src/cluster/membership/view.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';

export class Views {
  readonly map: ClusterMap;
  readonly #views: ReadonlyMap<string, ClusterView>;
  readonly #cut = new Set<string>();

  /** Every node is up, every instance active (of a group: the first by order), every line whole. */
  constructor(map: ClusterMap) {
    this.map = map;
    this.#views = new Map([...map.nodes.keys()].map((name) => [name, new ClusterView(map, name, 1)]));
    for (const instance of map.instances.values()) {
      const isActive = instance.group === undefined || map.groupOf(instance)[0] === instance;
      this.of(instance.node).setInstance(instance.name, isActive ? 'active' : 'standby');
    }
    this.settle();
  }

  of(node: string): ClusterView {
    return this.#views.get(node) as ClusterView;
  }

  /** What a node sends to another one. */
  digest(from: string, to: string): ReturnType<ClusterView['digestFor']> {
    return this.of(from).digestFor(this.map.node(to));
  }

  /** All pairs of nodes that have a line, each once. */
  get lines(): [string, string][] {
    const names = [...this.map.nodes.keys()];
    return names.flatMap((one) =>
      this.map
        .peersOf(one)
        .filter((peer) => names.indexOf(one) < names.indexOf(peer.name))
        .map((peer): [string, string] => [one, peer.name]),
    );
  }

  /** Cuts every line between two places, sites or nodes. */
  cut(one: string, other: string): void {
    for (const line of this.lines) if (this.#isBetween(line, one, other)) this.#cut.add(line.join(' '));
    this.settle();
  }

  mend(): void {
    this.#cut.clear();
    this.settle();
  }

  /** Lets every node take in the state of its lines and the digests of its peers, until no view changes any more. */
  settle(): void {
    for (let versions = ''; versions !== this.#versions(); ) {
      versions = this.#versions();
      for (const [one, other] of this.lines) {
        const isUp = !this.#cut.has(`${one} ${other}`);
        if (isUp) this.#tell(one, other);
        if (isUp) this.#tell(other, one);
        this.of(one).setPeer(other, isUp);
        this.of(other).setPeer(one, isUp);
      }
    }
  }

  /** The nodes that an envelope from one node to another passes, both ends included, as each sends it on. */
  wayOf(from: string, to: string): string[] {
    const way = [from];
    for (let at: string | undefined = from; at !== to && way.length < 20; ) {
      at = this.of(at).nextHop(to);
      if (at === undefined) return [...way, 'nowhere'];
      way.push(at);
    }
    return way;
  }

  #tell(listener: string, speaker: string): void {
    const { version, digest } = this.digest(speaker, listener);
    this.of(listener).setDigest(speaker, version, structuredClone(digest));
  }

  #versions(): string {
    const digests = this.lines.map(([one, other]) => [this.digest(one, other), this.digest(other, one)]);
    return JSON.stringify(digests);
  }

  #isBetween([one, other]: [string, string], here: string, there: string): boolean {
    const isAt = (node: string, place: string) => node === place || this.map.node(node).site === place;
    return (isAt(one, here) && isAt(other, there)) || (isAt(one, there) && isAt(other, here));
  }
}
