/** Whether this node may act for its site: runs the site machine, and the claims to arbiters while exactly half is in reach. */
import { type Actor, createActor } from 'xstate';
import { type SiteOrder, siteMachine } from '../machines/site.ts';
import type { NodeEntry } from '../model/cluster-map.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { actorClock } from './actor-clock.ts';
import type { Ask } from './asks.ts';
import type { View } from './view.ts';

export interface QuorumOptions {
  readonly view: View;
  readonly clock: Clock;
  readonly log: Log;
  readonly ask: Ask;
  /** Nodes at other sites that decide a tie, first to last. */
  readonly arbiters: readonly NodeEntry[];
  readonly claimEveryMs: number;
  readonly onChange: () => void;
}

export class Quorum {
  readonly #options: QuorumOptions;
  readonly #site: Actor<typeof siteMachine>;
  #isQuorate = false;
  #claim: Timer | undefined;

  constructor(options: QuorumOptions) {
    this.#options = options;
    this.#site = createActor(siteMachine, { clock: actorClock(options.clock) });
    this.#site.on('*', (order) => this.#obey(order));
  }

  get isQuorate(): boolean {
    return this.#isQuorate;
  }

  start(): void {
    this.#site.start();
    this.look();
  }

  /** Looks again at who of the site is in reach. */
  look(): void {
    const { reachable, pending, total } = this.#options.view.members;
    this.#site.send({ type: 'members.seen', reachable: reachable.length, pending, total });
  }

  stop(): void {
    this.#site.stop();
  }

  #obey(order: SiteOrder): void {
    if (order.type === 'fact.unexpected') return;
    this.#options.log.write('info', order.type, { site: this.#options.view.self.site });
    switch (order.type) {
      case 'quorum.gained':
      case 'quorum.lost':
        this.#isQuorate = order.type === 'quorum.gained';
        this.#options.onChange();
        break;
      case 'tie.entered':
        this.#claim = this.#options.clock.setTimer(0, () => void this.#claimTie());
        break;
      case 'tie.left':
        this.#claim?.cancel();
        this.#claim = undefined;
        break;
    }
  }

  async #claimTie(): Promise<void> {
    const { view, ask, arbiters, claimEveryMs, clock } = this.#options;
    this.#claim = clock.setTimer(claimEveryMs, () => void this.#claimTie());
    const body = { site: view.self.site, side: view.members.reachable };
    // All together have less time than there is until the next claim: no answer comes after that of a later one.
    const patienceMs = claimEveryMs / (arbiters.length + 1);
    for (const arbiter of arbiters) {
      const answer = await ask(arbiter.address, 'quorum.claim', body, { deadlineMs: clock.now() + patienceMs });
      if (!answer.ok) continue;
      this.#site.send({ type: answer.value.granted ? 'tie.granted' : 'tie.denied' });
      return;
    }
    this.#site.send({ type: 'tie.denied' });
  }
}
