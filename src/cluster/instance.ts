/**
 * A role instance: an actor around a role. Its events are the envelopes for it and its lifecycle events. An error thrown by
 * the role ends the actor, and the supervisor starts another.
 */
import type { AnyActorRef } from 'xstate';
import type { ActorObject } from '../actors/actor-logic.ts';
import { type Compiled, compile } from '../actors/compiled-machine.ts';
import type { ScopedClock } from '../actors/scoped-clock.ts';
import {
  type InstanceCommand,
  type InstanceEvent,
  instanceEvents,
  instanceMachine,
} from '../machines/cluster/instance.ts';
import { InstanceCrash } from '../machines/cluster/supervision.ts';
import type { InstanceEntry } from '../model/cluster/cluster-map.ts';
import type { Envelope } from '../model/cluster/envelope.ts';
import { type Redundancy, roles } from '../model/cluster/roles.ts';
import type { InstanceStatus } from '../model/cluster/states.ts';
import { failed, fault, type Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import { catalogue, declarationOf } from '../model/protocol/catalogue.ts';
import type { MessageDeclaration } from '../model/protocol/message.ts';
import { InjectedCrash } from '../ports/instrumentation/fault-points.ts';
import type { Census, CensusOptions } from '../ports/instrumentation/probe.ts';
import type { Log } from '../ports/log.ts';
import type { Asks } from './messaging/asks.ts';
import type { Quarantine } from './messaging/quarantine.ts';
import type { Router } from './messaging/router.ts';
import type { Role, RoleFactory, RoleScope } from './role.ts';

export interface RoleInstanceOptions {
  readonly factory: RoleFactory;
  readonly scope: Omit<RoleScope, 'crash' | 'ask' | 'giveUpAsks' | 'tell' | 'clock' | 'onViewChange'> & {
    readonly clock: ScopedClock;
  };
  readonly router: Router;
  readonly asks: Asks;
  readonly quarantine: Quarantine;
  /** The actor of the instance. */
  readonly self: AnyActorRef;
  readonly onStatus: (status: InstanceStatus) => void;
}

/** What the actor of an instance receives. */
export type RoleInstanceEvent =
  | { readonly type: 'envelope.received'; readonly envelope: Envelope }
  /** The role has failed outside of a handler, with a known reason. */
  | { readonly type: 'role.failed' }
  | InstanceEvent;

type AnyHandler = (body: unknown, envelope: Envelope) => Outcome<unknown> | Promise<Outcome<unknown>> | undefined;
type Lifecycle = Compiled<InstanceEvent, InstanceCommand, InstanceStatus>;

const lifecycles: Readonly<Record<Redundancy, Lifecycle>> = {
  'active-active': compile(instanceMachine('active-active'), instanceEvents),
  'active-passive': compile(instanceMachine('active-passive'), instanceEvents),
};

export class RoleInstance implements ActorObject<RoleInstanceEvent> {
  readonly entry: InstanceEntry;
  readonly startedMs: number;
  readonly #options: RoleInstanceOptions;
  readonly #log: Log;
  readonly #lifecycle: Lifecycle;
  #state: InstanceStatus;
  #role: Role | undefined;
  /** Asks that are answered later. */
  readonly #open = new Set<Envelope>();
  readonly #received = new ReceivedAsks();
  readonly #viewers: (() => void)[] = [];
  #crash: InstanceCrash | undefined;
  #isOver = false;

  constructor(options: RoleInstanceOptions) {
    const { scope } = options;
    this.#options = options;
    this.entry = scope.instance;
    this.startedMs = scope.clock.now();
    this.#log = scope.log;
    this.#lifecycle = lifecycles[roles[this.entry.role].redundancy];
    this.#state = this.#lifecycle.initial;
  }

  get status(): InstanceStatus {
    return this.#state;
  }

  start(): void {
    const { scope, router, asks, factory } = this.#options;
    const { address } = this.entry;
    const ask = asks.of(address);
    this.#options.onStatus(this.#state);
    this.#role = factory({
      ...scope,
      // An error thrown by a timer is a crash, like that of a handler.
      clock: scope.clock.running((fire) => this.#guard(fire)),
      // What still runs when the instance has ended, such as a request of its front, must not send in the name of its successor, which has the same address.
      ask: (to, type, body, options) =>
        this.#isOver ? Promise.resolve(this.#endedFault()) : ask(to, type, body, options),
      giveUpAsks: () => asks.giveUpOf(address),
      tell: (to, type, body, lastsMs = catalogue[type].deadlineMs) => {
        if (this.#isOver) return;
        const common = { id: router.nextId(), kind: 'tell', type, from: address, to, hops: 0, body } as const;
        router.send(lastsMs === 0 ? common : { ...common, deadlineMs: scope.clock.now() + lastsMs });
      },
      onViewChange: (look) => this.#viewers.push(scope.view.onChange(() => this.#guard(look))),
      crash: (error) => this.crash(error),
    });
    this.#options.self.send({ type: 'started' });
  }

  receive(event: RoleInstanceEvent): 'stopped' | undefined {
    if (event.type === 'envelope.received') return this.#receiveEnvelope(event.envelope);
    if (event.type === 'role.failed') throw this.#crash;
    return this.#live(event);
  }

  /** Gauges of the instance. */
  census(options?: CensusOptions): Census {
    const { scope } = this.#options;
    const counts = scope.counters.gauges(options);
    counts.set('timers', scope.clock.pending);
    counts.set('answers', this.#open.size);
    return { of: this.entry.address, counts };
  }

  /** Crashes the instance with `error`, as if its process had died. */
  crash(error: unknown): void {
    if (this.#isOver) return;
    this.fail(error);
    this.#options.self.send({ type: 'role.failed' });
  }

  /** Stops without answers: the instance has finished or its node has stopped. */
  stop(): void {
    this.#end();
  }

  /** Crashes with `error`: every open ask is answered with a fault. Returns what the supervisor receives. */
  fail(error: unknown): InstanceCrash {
    if (this.#crash !== undefined) return this.#crash;
    const { scope, onStatus } = this.#options;
    const crash = new InstanceCrash(error, scope.clock.now());
    this.#crash = crash;
    this.#log.write('error', 'instance.crashed', { reason: crash.message });
    const cause = error instanceof InjectedCrash ? 'injected' : 'bug';
    scope.counters.probe?.instanceCrashed(this.entry.address, crash.message, cause);
    const open = [...this.#open];
    this.#end();
    this.#answerEnded(open);
    onStatus('stopped');
    return crash;
  }

  /** Decodes an envelope, drops it with a reason, or passes it to the role. */
  #receiveEnvelope(envelope: Envelope): undefined {
    const { router, scope, quarantine } = this.#options;
    if (this.#isOver) {
      router.deadLetter(envelope, 'no_such_instance');
      return void router.answer(envelope, this.#endedFault());
    }
    const declaration = declarationOf(envelope.type);
    const handler = (this.#role?.handlers as Readonly<Record<string, AnyHandler>> | undefined)?.[envelope.type];
    if (declaration === undefined || handler === undefined) return void router.deadLetter(envelope, 'unknown_type');
    if (envelope.deadlineMs !== undefined && envelope.deadlineMs <= scope.clock.now()) {
      return void router.deadLetter(envelope, 'too_late');
    }
    if (envelope.kind === 'ask' && !this.#answers(declaration)) {
      return void router.refuse(envelope, 'standby', `${this.entry.address} is ${this.status}`);
    }
    if (quarantine.has(this.entry.address, envelope.type, envelope.body)) {
      router.deadLetter(envelope, 'quarantined');
      // No asker learns of it.
      if (envelope.kind === 'tell') {
        scope.log.write('warn', 'message.quarantined', { type: envelope.type, from: envelope.from });
      }
      return void router.refuse(
        envelope,
        'broken',
        `${this.entry.address} refuses this ${envelope.type}: it crashed the instance before`,
      );
    }
    let { body } = envelope;
    if (envelope.hops > 0) {
      const read = declaration.readBody(body);
      if (!read.success) {
        router.deadLetter(envelope, 'bad_body');
        return void router.refuse(envelope, 'invalid', `${this.entry.address} can't read this ${envelope.type}`);
      }
      body = read.data;
      if (envelope.kind === 'ask' && !this.#received.isNew(envelope.id)) return void scope.counters.add('ask.twice');
    }
    return this.#dispatch(envelope, handler, body);
  }

  /** Whether asks of this type are answered in the current status. */
  #answers({ isForStandbys = false, isWhileDraining = false }: MessageDeclaration): boolean {
    const { status } = this;
    if (status === 'standby') return isForStandbys;
    return status === 'active' || (status === 'draining' && isWhileDraining);
  }

  #dispatch(envelope: Envelope, handler: AnyHandler, body: unknown): undefined {
    const { router } = this.#options;
    let outcome: ReturnType<AnyHandler>;
    try {
      const { tracing } = router;
      outcome =
        tracing === undefined ? handler(body, envelope) : tracing.handled(envelope, () => handler(body, envelope));
    } catch (error) {
      this.fail(error);
      router.answer(envelope, this.#brokenBy(envelope, error));
      throw error;
    }
    this.#role?.flush?.();
    if (outcome instanceof Promise) {
      this.#open.add(envelope);
      outcome.then(
        (later) => this.#answer(envelope, later),
        (error: unknown) => {
          this.#answer(envelope, this.#brokenBy(envelope, error));
          this.crash(error);
        },
      );
      return;
    }
    router.answer(envelope, outcome ?? this.#endedFault());
  }

  /** Answers an open ask. Asks that ended with the instance are answered already. */
  #answer(envelope: Envelope, outcome: Outcome<unknown>): void {
    if (!this.#open.delete(envelope)) return;
    this.#role?.flush?.();
    this.#options.router.answer(envelope, outcome);
  }

  #answerEnded(open: Iterable<Envelope>): void {
    for (const envelope of open) this.#options.router.answer(envelope, this.#endedFault());
  }

  /** The answer to the message that crashed the instance. The same message is refused later, here and at its sender. */
  #brokenBy({ type, body }: Envelope, error: unknown): Outcome<never> {
    if (error instanceof InjectedCrash) return this.#endedFault();
    const { address } = this.entry;
    this.#options.quarantine.add(address, type, body);
    return failed(fault('broken', `${address} crashed on this ${type}: a bug`, address));
  }

  #endedFault(): Outcome<never> {
    return failed(fault('crashed', `${this.entry.address} has ended`));
  }

  #guard(work: () => void): void {
    try {
      work();
      this.#role?.flush?.();
    } catch (error) {
      this.crash(error);
    }
  }

  #live(event: InstanceEvent): 'stopped' | undefined {
    const { state, commands } = this.#lifecycle.step(this.#state, event);
    const before = this.#state;
    this.#state = state;
    for (const command of commands) this.#execute(command);
    if (this.#isOver) return undefined;
    if (state === 'stopped') this.#answerEnded(this.#open);
    if (state !== before) this.#options.onStatus(this.#state);
    return state === 'stopped' ? 'stopped' : undefined;
  }

  #execute(command: InstanceCommand): void {
    switch (command.type) {
      case 'serve':
        this.#serve();
        break;
      case 'stand.by':
        this.#role?.standBy?.();
        break;
      case 'drain':
        this.#drainRole();
        break;
      case 'event.unexpected':
        this.#options.scope.counters.add(`event.unexpected.instance.${command.event}`);
        break;
    }
  }

  #serve(): void {
    if (this.#options.scope.faultPoints.fires('instance.dies'))
      throw new InjectedCrash('crashed when it became active');
    Promise.resolve(this.#role?.serve?.()).catch((error: unknown) => this.crash(error));
  }

  #drainRole(): void {
    const finish = () => this.#options.self.send({ type: 'drained' });
    this.#finishRole().then(finish, (error: unknown) => {
      this.#log.write('error', 'instance.drain_failed', { reason: String(error) });
      finish();
    });
  }

  /** Always asynchronous: a role that throws has failed to drain, nothing else. */
  async #finishRole(): Promise<void> {
    await this.#role?.drain?.();
  }

  #end(): void {
    if (this.#isOver) return;
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
  }
}

/** The asks that an instance has received: a link may deliver a frame twice, and an ask is executed once. */
export class ReceivedAsks {
  #recent = new Set<string>();
  #earlier = new Set<string>();

  /** Records the ask with this id. False: it is one of the last `limits.receivedAsks`, or somewhat more, already. */
  isNew(id: string): boolean {
    if (this.#recent.has(id) || this.#earlier.has(id)) return false;
    if (this.#recent.size >= limits.receivedAsks) {
      this.#earlier = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(id);
    return true;
  }
}
