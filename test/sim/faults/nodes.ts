/** Some nodes in the simulated network, each behind the rules of a run, and what each of them hears when. */

import type { Breakable } from '../../../sim/faults/breakable.ts';
import { Faults } from '../../../sim/faults/faults.ts';
import { PauseGate } from '../../../sim/faults/gate.ts';
import { RuledLink } from '../../../sim/faults/ruled-link.ts';
import { TrafficRules } from '../../../sim/faults/rules.ts';
import { SimulatedNetwork } from '../../../sim/ports/network.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { Link } from '../../../src/ports/link.ts';

export interface Heard {
  readonly from: string;
  readonly frame: string;
  readonly atMs: number;
}

export class SimulatedNode {
  readonly link: Link;
  readonly gate = new PauseGate();
  readonly heard: Heard[] = [];

  constructor(inner: Link, clock: VirtualClock) {
    this.link = this.gate.link(inner);
    this.link.open({
      received: (from, frame) => this.heard.push({ from, frame, atMs: clock.now() }),
      connected: () => {},
      disconnected: () => {},
    });
  }

  /** The texts heard from `peer`. */
  from(peer: string): string[] {
    return this.heard.filter(({ from }) => from === peer).map(({ frame }) => frame);
  }
}

/** Every node of the map, connected. */
export class SimulatedNodes {
  readonly clock = new VirtualClock(0);
  readonly rules = new TrafficRules();
  readonly faults: Faults;
  /** What was done to nodes and instances, in the words of the verbs. */
  readonly calls: string[] = [];
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #ruled = new Map<string, RuledLink>();

  constructor(map: ClusterMap, seed = 1) {
    const { clock, rules, calls } = this;
    const random = new SeededRandom(seed);
    const network = new SimulatedNetwork({ map, clock, random: random.stream('network'), onFrame: () => {} });
    for (const self of map.nodes.keys()) {
      const ruled = new RuledLink({ link: network.linkOf(self), rules, map, self, clock });
      this.#ruled.set(self, ruled);
      this.#nodes.set(self, new SimulatedNode(ruled, clock));
    }
    const world: Breakable = {
      map,
      rules,
      random: random.stream('faults'),
      clock,
      crashNode: (name) => calls.push(`crash ${name}`),
      restartNode: async (name) => void calls.push(`restart ${name}`),
      stopNode: async (name) => void calls.push(`stop ${name}`),
      breakHalf: (name, peer) => this.#ruled.get(name)?.breakHalf(peer) ?? (() => {}),
      shiftClock: (name, byMs) => calls.push(`shift ${name} ${byMs}`),
      slowStores: (name, byMs) => calls.push(`slow ${name} ${byMs}`),
      wipeStores: async (name) => void calls.push(`wipe ${name}`),
      fillStores: (name, by) => calls.push(`fill ${name} ${by}`),
      pauseNode: (name) => calls.push(`pause ${name}`),
      resumeNode: (name) => calls.push(`resume ${name}`),
      crashInstance: (name) => calls.push(`crash ${name}`),
      restartInstance: (name) => calls.push(`restart ${name}`),
    };
    this.faults = new Faults(world);
    this.pass(1_000);
  }

  node(name: string): SimulatedNode {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`no node ${name}`);
    return node;
  }

  send(from: string, to: string, ...frames: string[]): void {
    for (const frame of frames) this.node(from).link.send(to, frame);
  }

  /** Lets time pass, and what is under way arrive unless it takes longer. */
  pass(ms = 100): void {
    this.clock.advanceTo(this.clock.now() + ms);
  }
}
