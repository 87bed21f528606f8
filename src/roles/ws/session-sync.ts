/**
 * Pulls from the other ws instances which sessions were closed: from each when it comes into reach, before a session is accepted
 * again, and from all now and then, for what was lost on its way.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { SessionChange } from '../../model/protocol/messages/session.ts';
import { CatchUp, type Pull, pullPages } from '../../replication/catch-up.ts';
import type { LogPosition } from '../../replication/sequence-log.ts';

export interface SessionSyncOptions {
  readonly scope: RoleScope;
  readonly peers: readonly InstanceEntry[];
  /** Changes are merged: in which order they come, and how often, does not matter. */
  readonly take: (changes: readonly SessionChange[]) => void;
}

export class SessionSync {
  readonly #options: SessionSyncOptions;
  /** One for each peer. */
  readonly #catchUps: readonly CatchUp[];
  /** Up to where each peer was read. */
  readonly #positions = new Map<InstanceEntry, LogPosition>();
  /** Peers that came into reach and have neither answered yet nor failed to. */
  readonly #meeting = new Set<CatchUp>();
  #metMs = 0;

  constructor(options: SessionSyncOptions) {
    const { scope, peers } = options;
    this.#options = options;
    this.#catchUps = peers.map(
      (peer) =>
        new CatchUp({
          scope,
          source: () => (scope.view.statusOf(peer) === 'active' ? peer : undefined),
          pull: (_, pull) => this.#pull(peer, pull),
          delaysMs: { check: limits.sessionSyncMs, gone: Number.POSITIVE_INFINITY },
        }),
    );
    scope.onViewChange(() => this.#look());
    this.#look();
  }

  /** When a peer last came into reach (ms since the epoch). */
  get metMs(): number {
    return this.#metMs;
  }

  /** Resolves when each peer that came into reach has answered, or did not; absent: nothing is to be waited for. */
  get met(): Promise<unknown> | undefined {
    return this.#meeting.size === 0 ? undefined : Promise.all([...this.#meeting].map((each) => each.settled()));
  }

  #look(): void {
    for (const catchUp of this.#catchUps) {
      if (!catchUp.look()) continue;
      this.#metMs = this.#options.scope.clock.now();
      this.#meeting.add(catchUp);
      void catchUp.settled().then(() => this.#meeting.delete(catchUp));
    }
  }

  #pull(peer: InstanceEntry, pull: Pull): Promise<boolean> {
    return pullPages(
      pull,
      () => {
        const after = this.#positions.get(peer) ?? { epoch: 0, n: 0 };
        return this.#options.scope.ask(peer.address, 'session.changes', { after });
      },
      ({ changes, upTo, more }) => {
        this.#options.take(changes);
        this.#positions.set(peer, upTo);
        return more ? 'more' : 'done';
      },
    );
  }
}
