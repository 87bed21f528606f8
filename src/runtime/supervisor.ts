/** Keeps one role instance running: starts it, and starts it anew after a crash, as the supervision machine decides. */
import { type Actor, createActor } from 'xstate';
import { type SupervisionOrder, supervisionMachine } from '../machines/supervision.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { actorClock } from './actor-clock.ts';
import type { RoleInstance } from './instance.ts';

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly backoffMs: number;
  readonly make: (onCrash: () => void) => RoleInstance;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #supervision: Actor<typeof supervisionMachine>;
  #instance: RoleInstance | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { clock, backoffMs } = options;
    this.#supervision = createActor(supervisionMachine, { clock: actorClock(clock), input: { backoffMs } });
    this.#supervision.on('*', (order) => this.#obey(order));
  }

  /** The instance that runs now, if one does. */
  get instance(): RoleInstance | undefined {
    return this.#instance;
  }

  start(): void {
    this.#supervision.start();
  }

  /** Starts the instance now if it waits for its restart or was given up. */
  restart(): void {
    this.#supervision.send({ type: 'restart.requested' });
  }

  async drain(): Promise<void> {
    this.#supervision.send({ type: 'stop.requested' });
    await this.#instance?.drain();
    this.#instance = undefined;
  }

  /** Ends the instance without a word, as when its node dies. */
  halt(): void {
    this.#supervision.stop();
    this.#instance?.halt();
    this.#instance = undefined;
  }

  #obey(order: SupervisionOrder): void {
    if (order.type === 'start.instance') {
      this.#instance = this.#options.make(() => {
        this.#instance = undefined;
        this.#supervision.send({ type: 'instance.crashed', atMs: this.#options.clock.now() });
      });
      this.#instance.start();
    } else if (order.type === 'give.up') {
      this.#options.log.write('error', 'instance.given_up', { reason: 'it crashed too often' });
    }
  }
}
