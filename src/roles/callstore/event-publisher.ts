/** Publishes the events of a site to the ws instances that follow it: each new one, as long as they renew now and then. */

import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { ToldEvent } from '../../model/protocol/stream.ts';
import { fitting } from '../../replication/sequence-log.ts';

/** So few fit into one message without being measured. */
const fewEvents = 20;

interface Follower {
  readonly follow: string;
  readonly untilMs: number;
  seq: number;
}

export class EventPublisher {
  readonly #scope: Pick<RoleScope, 'clock' | 'tell'>;
  readonly #followers = new Map<string, Follower>();
  /** The events of this instant. */
  #batch: ToldEvent[] = [];

  constructor(scope: Pick<RoleScope, 'clock' | 'tell'>) {
    this.#scope = scope;
  }

  /** Begins to push to an instance that has all that came before. */
  add(address: string, follow: string): void {
    this.#push();
    this.#followers.set(address, { follow, untilMs: this.#scope.clock.now() + limits.followMs, seq: 0 });
  }

  clear(): void {
    this.#followers.clear();
    this.#batch = [];
  }

  publish(event: ToldEvent): void {
    if (this.#followers.size === 0) return;
    if (this.#batch.length === 0) this.#scope.clock.setTimer(0, () => this.#push());
    this.#batch.push(event);
  }

  #push(): void {
    let events = this.#batch;
    this.#batch = [];
    while (events.length > 0) {
      const most = { count: limits.streamPage, bytes: limits.streamBytes };
      const items = events.length <= fewEvents ? events : fitting(events, most);
      this.#pushToAll(items);
      events = events.slice(items.length);
    }
  }

  #pushToAll(items: ToldEvent[]): void {
    const nowMs = this.#scope.clock.now();
    for (const [address, follower] of this.#followers) {
      if (follower.untilMs <= nowMs) {
        this.#followers.delete(address);
        continue;
      }
      follower.seq += 1;
      const { follow, seq } = follower;
      this.#scope.tell(address, 'events.pushed', { follow, seq, items });
    }
  }
}
