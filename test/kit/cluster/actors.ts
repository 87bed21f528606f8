/** Actors that a test runs by themselves, on a clock of its own: what a node would spawn. */
import { type AnyActorLogic, type AnyActorRef, createActor } from 'xstate';
import { actorClock, type FindActor } from '../../../src/actors/actor-logic.ts';
import type { Clock } from '../../../src/ports/clock.ts';

export class RunningActors {
  readonly #clock: Clock;
  readonly #actors = new Map<string, AnyActorRef>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly find: FindActor = (id) => this.#actors.get(id);

  run(id: string, logic: AnyActorLogic, input?: unknown): void {
    const actor = createActor(logic, { clock: actorClock(this.#clock), id, systemId: id, input });
    this.#actors.set(id, actor);
    actor.start();
  }

  stop(): void {
    for (const actor of this.#actors.values()) (actor as ReturnType<typeof createActor>).stop();
  }
}
