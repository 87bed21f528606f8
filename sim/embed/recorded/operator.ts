/**
 * Applies the inputs of an operator to a world: faults, phones and providers, numbers, load. The control interface, the
 * library and replays use it, so each operation exists once.
 */

import type { OracleRunner } from '../../oracles/oracle-runner.ts';
import type { DeliveryDetail } from '../../outside/http/delivery-log.ts';
import type { PlacedCall } from '../../outside/outside-world.ts';
import { Load } from '../../outside/running-load.ts';
import { type InjectedFault, ListedFaults } from '../../scenario/run/listed-faults.ts';
import type { World } from '../../world/world.ts';
import type { Input, InputOf } from './input.ts';
import type { ObservationLog } from './observation-log.ts';

/** What each operation takes, and its outcome. */
export interface WorldOperations {
  inject(input: InputOf<'inject'>): Promise<InjectedFault>;
  lift(input: InputOf<'lift'>): Promise<void>;
  liftAll(input: InputOf<'liftAll'>): Promise<void>;
  behave(input: InputOf<'behave'>): void;
  unset(input: InputOf<'unset'>): void;
  /** Returns the name of the phone. */
  addPhone(input: InputOf<'addPhone'>): string;
  register(input: InputOf<'register'>): void;
  unregister(input: InputOf<'unregister'>): void;
  attend(input: InputOf<'attend'>): void;
  call(input: InputOf<'call'>): PlacedCall;
  /** Returns whether a call is answered, in which the digits were pressed. */
  press(input: InputOf<'press'>): boolean;
  /** Returns whether a call could be answered or resumed. */
  talk(input: InputOf<'talk'>): boolean;
  /** Returns whether a call could be held: it is answered. */
  hold(input: InputOf<'hold'>): boolean;
  hangUp(input: InputOf<'hangUp'>): void;
  /** Returns whether the call could be rejected: it had no final answer yet. */
  reject(input: InputOf<'reject'>): boolean;
  /** Returns whether the call could be transferred: it is answered. */
  transfer(input: InputOf<'transfer'>): boolean;
  stub(input: InputOf<'stub'>): void;
  unstub(input: InputOf<'unstub'>): void;
  /** Sends a request of a script again. Rejects with a `not_found` fault. */
  replay(input: InputOf<'replay'>): Promise<DeliveryDetail>;
  load(input: InputOf<'load'>): void;
}

export type WorldOperation = keyof WorldOperations;

/** A running cluster, live or virtual, that an operator drives. */
export interface OperatedCluster {
  readonly world: World;
  readonly operator: Operator;
  /** The newest observations. */
  readonly observations: ObservationLog;
  /** Its oracles; undefined: none observe it. */
  readonly watch: OracleRunner | undefined;
  /** Applies an operation, and records it if the cluster is virtual. Rejects if the operation is refused. */
  enter<O extends WorldOperation>(input: InputOf<O>): Promise<Awaited<ReturnType<WorldOperations[O]>>>;
}

export class Operator {
  readonly load: Load;
  readonly faults: ListedFaults;
  readonly #operations: WorldOperations;

  constructor(world: World) {
    const { outside } = world;
    this.load = new Load(outside);
    this.faults = new ListedFaults(world);
    const { load, faults } = this;
    this.#operations = {
      inject: (input) => faults.inject(input.fault),
      lift: (input) => faults.lift(input.fault),
      liftAll: () => faults.liftAll(),
      behave: ({ domain, number, behaviour }) => outside.behave(domain, number, behaviour),
      unset: ({ domain, number }) => outside.behave(domain, number, undefined),
      addPhone: ({ do: _, ...phone }) => outside.addPhone(phone),
      register: ({ name }) => outside.register(name),
      unregister: ({ name }) => outside.unregister(name),
      attend: ({ name, on }) => outside.attend(name, on),
      call: ({ do: _, from, to, ...options }) => outside.call(from, to, options),
      press: ({ name, digits }) => outside.press(name, digits),
      talk: ({ whose }) => outside.talk(whose),
      hold: ({ whose }) => outside.hold(whose),
      hangUp: ({ whose }) => outside.hangUp(whose),
      reject: ({ whose, status }) => outside.reject(whose, status),
      transfer: ({ call, to }) => outside.transfer(call, to),
      stub: ({ url, answer }) => outside.stubs.set(url, answer),
      unstub: ({ url }) => outside.stubs.set(url, undefined),
      replay: ({ delivery }) => outside.deliveries.replay(delivery),
      load: ({ do: _, ...options }) => load.set(options),
    };
  }

  /** Applies an operation. Throws if it names something that the cluster does not have. */
  apply<O extends WorldOperation>(input: InputOf<O>): ReturnType<WorldOperations[O]> {
    const operation = this.#operations[(input as Input).do as O] as (
      input: InputOf<O>,
    ) => ReturnType<WorldOperations[O]>;
    return operation(input);
  }
}
