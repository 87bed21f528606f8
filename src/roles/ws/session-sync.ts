/**
 * Asks the other ws instances which sessions were closed: each when it comes into reach, before a session is accepted again, and
 * all in rounds, for what was lost on its way.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { ChangesPlace, SessionChange } from '../../model/protocol/session.ts';

export interface SessionSyncOptions {
  readonly scope: RoleScope;
  readonly peers: readonly InstanceEntry[];
  readonly take: (changes: readonly SessionChange[]) => void;
  /** Called once a round. */
  readonly onRound: () => void;
}

const beginning: ChangesPlace = { epoch: 0, n: 0 };

export class SessionSync {
  readonly #options: SessionSyncOptions;
  /** Up to where each peer was read. */
  readonly #places = new Map<string, ChangesPlace>();
  readonly #inReach = new Set<string>();
  readonly #reading = new Map<string, Promise<void>>();
  /** Peers that came into reach and have not answered yet. */
  readonly #meeting = new Map<string, Promise<void>>();
  /** When a peer last came into reach. */
  #metMs = 0;

  constructor(options: SessionSyncOptions) {
    this.#options = options;
    options.scope.onView(() => this.#look());
    this.#look();
    this.#startRounds();
  }

  get metMs(): number {
    return this.#metMs;
  }

  /** Resolves when each peer that came into reach has answered, or could not; absent: nothing is to be waited for. */
  get met(): Promise<unknown> | undefined {
    return this.#meeting.size === 0 ? undefined : Promise.all(this.#meeting.values());
  }

  #look(): void {
    const { scope, peers } = this.#options;
    for (const peer of peers) {
      if (scope.view.statusOf(peer) !== 'active') this.#inReach.delete(peer.address);
      else if (!this.#inReach.has(peer.address)) this.#meet(peer.address);
    }
  }

  #meet(peer: string): void {
    this.#inReach.add(peer);
    this.#metMs = this.#options.scope.clock.now();
    // One that is being read since before may have been asked before the peers were in reach of each other.
    const meeting = (this.#reading.get(peer) ?? Promise.resolve()).then(() => this.#read(peer));
    this.#meeting.set(peer, meeting);
    void meeting.then(() => {
      if (this.#meeting.get(peer) === meeting) this.#meeting.delete(peer);
    });
  }

  #startRounds(): void {
    this.#options.scope.clock.setTimer(limits.sessionSyncMs, () => {
      for (const peer of this.#inReach) void this.#read(peer);
      this.#options.onRound();
      this.#startRounds();
    });
  }

  /** Reads what a peer has behind the place up to which it was read. Never rejects: a bug ends the instance. */
  #read(peer: string): Promise<void> {
    const known = this.#reading.get(peer);
    if (known !== undefined) return known;
    const reading = this.#readAll(peer)
      .catch(this.#options.scope.crash)
      .then(() => void this.#reading.delete(peer));
    this.#reading.set(peer, reading);
    return reading;
  }

  async #readAll(peer: string): Promise<void> {
    const { scope, take } = this.#options;
    for (;;) {
      const after = this.#places.get(peer) ?? beginning;
      const outcome = await scope.ask(peer, 'session.changes', { after });
      if (!outcome.ok) return;
      const { changes, upTo, more } = outcome.value;
      take(changes);
      this.#places.set(peer, upTo);
      if (!more) return;
    }
  }
}
