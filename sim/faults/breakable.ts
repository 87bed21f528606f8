/** What the fault verbs need of a world, and of the world outside. */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import type { Lift } from './periodic.ts';
import type { HttpRules, TrafficRules } from './rules.ts';

/** What the verbs need of a world. */
export interface Breakable {
  readonly map: ClusterMap;
  readonly rules: TrafficRules;
  readonly random: RandomStream;
  readonly clock: Clock;
  crashNode(name: string): void;
  restartNode(name: string): Promise<void>;
  /** Empties the stores of a node that does not run. */
  wipeStores(name: string): Promise<void>;
  /** Ends gracefully; resolves when the node has stopped. */
  stopNode(name: string): Promise<void>;
  pauseNode(name: string): void;
  resumeNode(name: string): void;
  crashInstance(name: string): void;
  restartInstance(name: string): void;
  /** A node loses its connection to a peer, which does not notice. */
  breakHalf(node: string, peer: string): Lift;
  /** Sets the clock of a node ahead by so much more (behind: below 0). */
  shiftClock(node: string, byMs: number): void;
  /** Delays the stores of a node by so much more (less: below 0). */
  slowStores(node: string, byMs: number): void;
  /** Adds or removes one fault that fills the disk of a node. While there is one, its stores are read-only. */
  fillStores(node: string, by: 1 | -1): void;
}

/** What the verbs need of the world outside. */
export interface BreakableOutside {
  readonly network: { readonly rules: TrafficRules<string, SipMessage> };
  readonly deliveries: { readonly rules: HttpRules };
  silence(name: string): void;
  revive(name: string): void;
  flap(name: string, everyMs: number): void;
  refuseRegister(name: string, status?: number): void;
}
