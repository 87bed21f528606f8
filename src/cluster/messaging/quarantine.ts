/**
 * Messages that crashed an instance: for a while the same message is refused, so that it does not crash the successor. Both
 * nodes remember them, that of the instance and that of the asker, since the successor may be a standby on another node.
 */
import { hash } from 'node:crypto';
import type { ClusterMap } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../ports/clock.ts';

export class Quarantine {
  readonly #map: ClusterMap;
  readonly #clock: Clock;
  /** Refused messages with the end of their refusal, oldest first. */
  readonly #untilMs = new Map<string, number>();

  constructor(map: ClusterMap, clock: Clock) {
    this.#map = map;
    this.#clock = clock;
  }

  /** `address`: of the instance that crashed. */
  add(address: string, type: string, body: unknown): void {
    const key = this.#keyOf(address, type, body);
    this.#untilMs.delete(key);
    this.#untilMs.set(key, this.#clock.now() + limits.quarantineMs);
    const [oldest] = this.#untilMs.keys();
    if (this.#untilMs.size > limits.quarantined && oldest !== undefined) this.#untilMs.delete(oldest);
  }

  /** Whether a message is refused for the instance and its successors. */
  has(address: string, type: string, body: unknown): boolean {
    if (this.#untilMs.size === 0) return false;
    const key = this.#keyOf(address, type, body);
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (this.#clock.now() < untilMs) return true;
    this.#untilMs.delete(key);
    return false;
  }

  /** Members of a group share their keys. */
  #keyOf(address: string, type: string, body: unknown): string {
    const { role, site, group } = this.#map.instances.get(address) ?? {};
    const owner = group === undefined ? address : `${role} ${site} ${group}`;
    return hash('sha256', `${owner} ${type} ${JSON.stringify(body)}`);
  }
}
