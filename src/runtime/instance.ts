/** A role instance: the actor of its life around a role, which it feeds with envelopes and ends when the role throws. */
import { type Actor, createActor } from 'xstate';
import { type InstanceOrder, instanceMachine } from '../machines/instance.ts';
import type { InstanceEntry } from '../model/cluster-map.ts';
import type { Envelope } from '../model/envelope.ts';
import { failed, fault, type Outcome } from '../model/fault.ts';
import { catalogue, declarationOf } from '../model/protocol/catalogue.ts';
import type { MessageDeclaration } from '../model/protocol/message.ts';
import { roles } from '../model/roles.ts';
import type { InstanceStatus } from '../model/states.ts';
import type { Log } from '../ports/log.ts';
import type { Census, CensusOptions } from '../ports/probe.ts';
import { actorClock } from './actor-clock.ts';
import type { Asks } from './asks.ts';
import type { Role, RoleFactory, RoleScope } from './role.ts';
import type { Router } from './router.ts';
import type { ScopedClock } from './scoped-clock.ts';

export interface RoleInstanceOptions {
  readonly factory: RoleFactory;
  readonly scope: Omit<RoleScope, 'crash' | 'ask' | 'tell' | 'clock' | 'onView'> & {
    readonly clock: ScopedClock;
  };
  readonly router: Router;
  readonly asks: Asks;
  readonly onStatus: (status: InstanceStatus) => void;
  readonly onCrash: () => void;
}

type AnyHandler = (body: unknown, envelope: Envelope) => Outcome<unknown> | Promise<Outcome<unknown>> | undefined;

export class RoleInstance {
  readonly entry: InstanceEntry;
  readonly startedMs: number;
  readonly #options: RoleInstanceOptions;
  readonly #log: Log;
  readonly #life: Actor<typeof instanceMachine>;
  #role: Role | undefined;
  /** Asks whose answer comes later. */
  readonly #open = new Set<Envelope>();
  readonly #viewers: (() => void)[] = [];
  readonly #stopped: Promise<void>;
  #onStopped: () => void = () => {};
  #isOver = false;

  constructor(options: RoleInstanceOptions) {
    const { scope } = options;
    this.#options = options;
    this.entry = scope.instance;
    this.startedMs = scope.clock.now();
    this.#log = scope.log;
    const { redundancy } = roles[this.entry.role];
    this.#life = createActor(instanceMachine, { clock: actorClock(scope.clock), input: { redundancy } });
    this.#life.on('*', (order) => this.#obey(order));
    this.#life.subscribe((snapshot) => options.onStatus(snapshot.value));
    this.#stopped = new Promise((resolve) => {
      this.#onStopped = resolve;
    });
  }

  get status(): InstanceStatus {
    return this.#life.getSnapshot().value;
  }

  start(): void {
    const { scope, router, asks, factory } = this.#options;
    const { address } = this.entry;
    this.#life.start();
    this.#guard(() => {
      this.#role = factory({
        ...scope,
        ask: asks.of(address),
        tell: (to, type, body) => {
          const letter: Envelope = { id: router.nextId(), kind: 'tell', type, from: address, to, hops: 0, body };
          const lastsMs = catalogue[type].deadlineMs;
          router.send(lastsMs === 0 ? letter : { ...letter, deadlineMs: scope.clock.now() + lastsMs });
        },
        onView: (look) => this.#viewers.push(scope.view.onChange(() => this.#guard(look))),
        crash: (error) => this.crash(error),
      });
      this.#life.send({ type: 'started' });
    });
  }

  decide(verdict: 'elected' | 'deposed'): void {
    if (this.status === 'standby' || this.status === 'active') this.#life.send({ type: verdict });
  }

  /** What it holds now. */
  census(options?: CensusOptions): Census {
    const { scope } = this.#options;
    const counts = scope.counters.gauges(options);
    counts.set('timers', scope.clock.pending);
    counts.set('answers', this.#open.size);
    return { of: this.entry.address, counts };
  }

  /** Takes an envelope: decodes, drops it with a reason, or hands it to the role. */
  receive(envelope: Envelope): void {
    const { router, scope } = this.#options;
    const declaration = declarationOf(envelope.type);
    const handler = (this.#role?.handlers as Readonly<Record<string, AnyHandler>> | undefined)?.[envelope.type];
    if (declaration === undefined || handler === undefined) return router.deadLetter(envelope, 'unknown_type');
    if (envelope.deadlineMs !== undefined && envelope.deadlineMs <= scope.clock.now()) {
      return router.deadLetter(envelope, 'too_late');
    }
    if (envelope.kind === 'ask' && !this.#answers(declaration)) {
      return router.refuse(envelope, 'standby', `${this.entry.address} is ${this.status}`);
    }
    let { body } = envelope;
    if (envelope.hops > 0) {
      const read = declaration.readBody(body);
      if (!read.success) {
        router.deadLetter(envelope, 'bad_body');
        return router.refuse(envelope, 'invalid', `${this.entry.address} can't read this ${envelope.type}`);
      }
      body = read.data;
    }
    return this.#dispatch(envelope, handler, body);
  }

  /** Whether asks of a type are answered now. */
  #answers({ isForStandbys }: MessageDeclaration): boolean {
    const { status } = this;
    return status === 'active' || (status === 'standby' && isForStandbys === true);
  }

  /** Lets the role finish, then stops. */
  drain(): Promise<void> {
    this.#life.send({ type: 'drain.requested' });
    return this.#stopped;
  }

  /** Ends at once for `error`, as if its process had died. */
  crash(error: unknown): void {
    if (this.#isOver) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.write('error', 'instance.crashed', { reason });
    this.#options.scope.counters.probe?.instanceCrashed(this.entry.address, reason);
    const open = [...this.#open];
    this.halt();
    for (const envelope of open) this.#options.router.answer(envelope, this.#death());
    this.#options.onStatus('stopped');
    this.#options.onCrash();
  }

  /** Ends without a word, as when its node dies. */
  halt(): void {
    if (this.#isOver) return;
    this.#life.stop();
    this.#end();
  }

  #dispatch(envelope: Envelope, handler: AnyHandler, body: unknown): void {
    const outcome = this.#guard(() => handler(body, envelope));
    if (outcome instanceof Promise) {
      this.#open.add(envelope);
      outcome.then(
        (later) => this.#answer(envelope, later),
        (error: unknown) => this.crash(error),
      );
      return;
    }
    this.#options.router.answer(envelope, outcome ?? this.#death());
  }

  /** Answers an ask that was open. One that ended with the instance has its answer. */
  #answer(envelope: Envelope, outcome: Outcome<unknown>): void {
    if (this.#open.delete(envelope)) this.#options.router.answer(envelope, outcome);
  }

  #death(): Outcome<never> {
    return failed(fault('crashed', `${this.entry.address} died of it`));
  }

  #guard<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.crash(error);
      return undefined;
    }
  }

  #obey(order: InstanceOrder): void {
    switch (order.type) {
      case 'serve':
        this.#serve();
        break;
      case 'stand.by':
        this.#guard(() => this.#role?.standBy?.());
        break;
      case 'drain':
        this.#drainRole();
        break;
      case 'stopped':
        for (const envelope of this.#open) this.#options.router.answer(envelope, this.#death());
        this.#end();
        break;
      case 'fact.unexpected':
        this.#options.scope.counters.add(`fact.unexpected.instance.${order.fact}`);
        break;
    }
  }

  #serve(): void {
    if (this.#options.scope.faultPoints.fires('instance.dies'))
      return this.crash(new Error('died as it began to serve'));
    Promise.resolve(this.#guard(() => this.#role?.serve?.())).catch((error: unknown) => this.crash(error));
  }

  #drainRole(): void {
    const finish = () => {
      if (!this.#isOver) this.#life.send({ type: 'drained' });
    };
    this.#finishRole().then(finish, finish);
  }

  /** Asynchronous in any case: a role that throws has failed to finish, no more. */
  async #finishRole(): Promise<void> {
    await this.#role?.drain?.();
  }

  #end(): void {
    const role = this.#role;
    this.#isOver = true;
    this.#open.clear();
    this.#role = undefined;
    this.#options.scope.clock.end();
    this.#options.asks.abandon(this.entry.address);
    for (const stopViewing of this.#viewers) stopViewing();
    try {
      role?.stop?.();
    } catch (error) {
      this.#log.write('error', 'instance.stop_failed', { reason: String(error) });
    }
    this.#onStopped();
  }
}
