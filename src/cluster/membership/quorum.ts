/**
 * Decides whether this node may act for its site: runs the quorum machine, and claims the arbiters' lease while exactly
 * half of the site is reachable.
 */

import { type FindActor, stateName, withCommands } from '../../actors/actor-logic.ts';
import { type QuorumCommand, type QuorumEvent, quorumMachine } from '../../machines/cluster/quorum.ts';
import type { NodeEntry } from '../../model/cluster/cluster-map.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Ask } from '../messaging/asks.ts';
import type { ClusterView } from './view.ts';

export interface QuorumOptions {
  readonly view: ClusterView;
  readonly clock: Clock;
  readonly log: Log;
  readonly ask: Ask;
  readonly find: FindActor;
  /** Nodes at other sites that decide a tie, in order. */
  readonly arbiters: readonly NodeEntry[];
  readonly claimEveryMs: number;
  readonly onChange: () => void;
  /** A claim has thrown: a bug. */
  readonly onError: (error: unknown) => void;
}

type Members = Extract<QuorumEvent, { type: 'members.seen' }>;

/** States in which the node may act for its site. */
const quorate = new Set(['quorate', 'tied.held', 'tied.won']);

export class Quorum {
  /** The system id of its actor. */
  static readonly id = 'quorum';
  readonly logic = withCommands(quorumMachine, (command) => this.#execute(command));
  readonly #options: QuorumOptions;
  #claim: Timer | undefined;
  /** How many ties are over: the answer to a claim of one of them is of no use. */
  #ties = 0;
  /** The last members that were sent, and to which actor. */
  #sent: { readonly actor: unknown; readonly event: Members } | undefined;

  constructor(options: QuorumOptions) {
    this.#options = options;
  }

  get isQuorate(): boolean {
    const actor = this.#options.find(Quorum.id);
    return actor !== undefined && quorate.has(stateName(actor.getSnapshot().value));
  }

  /** Evaluates which nodes of the site are reachable. */
  look(): void {
    const { reachable, pending, total } = this.#options.view.members;
    const actor = this.#options.find(Quorum.id);
    const event: Members = { type: 'members.seen', reachable: reachable.length, pending, total };
    // Most changes of the view are of instances: the same members again change nothing.
    const { actor: receiver, event: sent } = this.#sent ?? {};
    if (actor === receiver && sent?.reachable === event.reachable && sent.pending === pending) return;
    this.#sent = { actor, event };
    actor?.send(event);
  }

  #send(event: QuorumEvent): void {
    this.#options.find(Quorum.id)?.send(event);
  }

  #execute(command: QuorumCommand): void {
    if (command.type === 'event.unexpected') return;
    this.#options.log.write('info', command.type, { site: this.#options.view.self.site });
    switch (command.type) {
      case 'quorum.gained':
      case 'quorum.lost':
        this.#options.onChange();
        break;
      case 'tie.entered':
        this.#claim = this.#options.clock.setTimer(0, () => this.#startClaim());
        break;
      case 'tie.left':
        this.#ties += 1;
        this.#claim?.cancel();
        this.#claim = undefined;
        break;
    }
  }

  #startClaim(): void {
    this.#claimTie().catch(this.#options.onError);
  }

  async #claimTie(): Promise<void> {
    const { view, ask, arbiters, claimEveryMs, clock } = this.#options;
    this.#claim = clock.setTimer(claimEveryMs, () => this.#startClaim());
    const body = { site: view.self.site, side: view.members.reachable };
    const ties = this.#ties;
    // All asks together end before the next claim of this tie, so no answer arrives after one to a later claim.
    const patienceMs = claimEveryMs / (arbiters.length + 1);
    for (const arbiter of arbiters) {
      const answer = await ask(arbiter.address, 'quorum.claim', body, { deadlineMs: clock.now() + patienceMs });
      if (ties !== this.#ties) return;
      if (!answer.ok) continue;
      return this.#send({ type: answer.value.granted ? 'tie.granted' : 'tie.denied' });
    }
    return this.#send({ type: 'tie.denied' });
  }
}
