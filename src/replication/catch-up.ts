/**
 * Keeps a consumer up with one source: runs the replication machine for it, and the pulls that the machine commands. Every copy and every
 * stream of the platform catches up by this; what is asked and what is done with the answer is the consumer's own. Why:
 * docs/adr/0004-one-replication.md.
 */

import { compile, type DeadlineEvent } from '../actors/compiled-machine.ts';
import type { RoleScope } from '../cluster/role.ts';
import {
  type ReplicationCommand,
  type ReplicationDelay,
  type ReplicationEvent,
  replicationDelaysMs,
  replicationMachine,
} from '../machines/cluster/replication.ts';
import type { InstanceEntry } from '../model/cluster/cluster-map.ts';
import type { Outcome } from '../model/fault.ts';
import type { Timer } from '../ports/clock.ts';

/** One pull. Once it is over, because its source is away or the consumer has stopped, nothing that it brings is used. */
export interface Pull {
  readonly isOver: boolean;
}

export interface CatchUpOptions {
  readonly scope: Pick<RoleScope, 'clock' | 'crash'> & { readonly view: Pick<RoleScope['view'], 'contactOf'> };
  /** The instance to pull from, as the view shows it now: the one source, or the active one of a group; none in reach: undefined. */
  readonly source: () => InstanceEntry | undefined;
  /** Pulls what is missing. False: the source did not answer, or its answer cannot be used now. A rejection ends the instance. */
  readonly pull: (source: InstanceEntry, pull: Pull) => Promise<boolean>;
  /** Deadlines that differ from those of the machine; infinite: there is none. */
  readonly delaysMs?: Readonly<Partial<Record<ReplicationDelay, number>>>;
  /** It is current again: called each time after it was not. */
  readonly onCurrent?: () => void;
  /** The source has been out of reach for too long. */
  readonly onLost?: () => void;
}

interface Waiter {
  readonly isDone: () => boolean;
  readonly resolve: () => void;
}

const events: readonly ReplicationEvent[] = [
  { type: 'source.found' },
  { type: 'source.away' },
  { type: 'gap.noticed' },
  { type: 'message.received' },
  { type: 'pull.completed' },
  { type: 'pull.failed' },
];
/** The machine as a table: its steps are pure. */
export const replicationTable = compile(replicationMachine, events);

export class CatchUp {
  readonly #options: CatchUpOptions;
  #state = replicationTable.initial;
  #timers: readonly Timer[] = [];
  #source: InstanceEntry | undefined;
  #contact: string | undefined;
  /** The pull that the machine has commanded and that has not ended. */
  #pull: { isOver: boolean } | undefined;
  /** Whether a pull runs: that one, or an aborted one that has not returned, for which the next one waits. */
  #isRunning = false;
  #isStopped = false;
  #waiters: readonly Waiter[] = [];

  constructor(options: CatchUpOptions) {
    this.#options = options;
    this.#setTimers();
  }

  /** Path of the state: `pulling.fresh`. */
  get state(): string {
    return this.#state;
  }

  /** Whether everything that the source had at the last pull is here, and no gap was noticed since. */
  get isCurrent(): boolean {
    return this.#state.startsWith('current');
  }

  get isPulling(): boolean {
    return this.#state.startsWith('pulling');
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isLost(): boolean {
    return this.#state === 'lost';
  }

  /** The instance to pull from when the view was last looked at. */
  get source(): InstanceEntry | undefined {
    return this.#source;
  }

  /** Looks at the view again: to be called when it has changed, and once at the start. True: a source has come into reach. */
  look(): boolean {
    const source = this.#options.source();
    const contact = source && this.#options.scope.view.contactOf(source.node);
    // A node may crash and start again before a peer misses it, or miss this one while it is not missed itself.
    if (source === this.#source && contact === this.#contact) return false;
    this.#source = source;
    this.#contact = contact;
    // Answers of the source before are not used any more.
    if (this.#pull !== undefined) this.#pull.isOver = true;
    this.#take({ type: source === undefined ? 'source.away' : 'source.found' });
    return source !== undefined;
  }

  /** The source has sent something by itself. */
  received(): void {
    this.#take({ type: 'message.received' });
  }

  /** Something is missing, or may be: it is pulled as soon as the source is in reach. */
  noticeGap(): void {
    this.#take({ type: 'gap.noticed' });
  }

  /** Pulls once more. Resolves when that has ended, with whether it is current. */
  async refresh(): Promise<boolean> {
    this.noticeGap();
    await this.#until(() => !this.isPulling);
    return this.isCurrent;
  }

  /** Resolves when no pull is under way: it has ended, or failed. */
  async settled(): Promise<void> {
    await this.#until(() => !this.isPulling);
  }

  /** Resolves when it is current, with true; else after so long, with false; without a source at once. */
  async becomesCurrent(patienceMs: number): Promise<boolean> {
    if (this.#source === undefined) return false;
    let isPatient = true;
    const timer = this.#options.scope.clock.setTimer(patienceMs, () => {
      isPatient = false;
      this.#release();
    });
    await this.#until(() => this.isCurrent || !isPatient);
    timer.cancel();
    return this.isCurrent;
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) timer.cancel();
    this.#abort();
    this.#release();
  }

  #take(event: ReplicationEvent | DeadlineEvent): void {
    if (this.#isStopped) return;
    const { state, commands, isEntered } = replicationTable.step(this.#state, event as ReplicationEvent);
    this.#state = state;
    if (isEntered) this.#setTimers();
    for (const command of commands) this.#execute(command);
    if (isEntered) this.#release();
  }

  #setTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    const { scope, delaysMs } = this.#options;
    this.#timers = replicationTable.delays(this.#state).flatMap(({ name, event }) => {
      const ms = delaysMs?.[name as ReplicationDelay] ?? replicationDelaysMs[name as ReplicationDelay];
      return Number.isFinite(ms) ? [scope.clock.setTimer(ms, () => this.#take(event))] : [];
    });
  }

  #execute(command: ReplicationCommand): void {
    switch (command.type) {
      case 'pull':
        this.#pull = { isOver: false };
        if (!this.#isRunning) this.#run(this.#pull);
        return;
      case 'abort.pull':
        return this.#abort();
      case 'report.current':
        return this.#options.onCurrent?.();
      case 'report.lost':
        return this.#options.onLost?.();
      case 'event.unexpected':
        throw new Error(`a consumer that is ${this.#state} received ${command.event}`);
    }
  }

  #abort(): void {
    if (this.#pull !== undefined) this.#pull.isOver = true;
    this.#pull = undefined;
  }

  #run(pull: Pull): void {
    const source = this.#source;
    if (source === undefined) throw new Error('a pull was commanded without a source');
    this.#isRunning = true;
    this.#options.pull(source, pull).then(
      (isComplete) => this.#onEnd(pull, isComplete),
      (error: unknown) => this.#options.scope.crash(error),
    );
  }

  #onEnd(pull: Pull, isComplete: boolean): void {
    this.#isRunning = false;
    if (this.#pull === undefined) return;
    // It was aborted, and another one waits for its end.
    if (this.#pull !== pull) return this.#run(this.#pull);
    this.#pull = undefined;
    this.#take({ type: isComplete ? 'pull.completed' : 'pull.failed' });
  }

  #until(isDone: () => boolean): Promise<void> {
    if (this.#isStopped || isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters = [...this.#waiters, { isDone, resolve }];
    });
  }

  #release(): void {
    if (this.#waiters.length === 0) return;
    const done = this.#waiters.filter(({ isDone }) => this.#isStopped || isDone());
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  }
}

/** What a page leads to: the next page, the end, or a failed pull. */
export type Taken = 'more' | 'done' | 'failed';

/** Asks page by page, as long as the source answers. True: all pages are taken. False: one failed, or the pull is over. */
export async function pullPages<P>(
  pull: Pull,
  ask: () => Promise<Outcome<P>>,
  take: (page: P) => Taken | Promise<Taken>,
): Promise<boolean> {
  for (;;) {
    if (pull.isOver) return false;
    const page = await ask();
    if (pull.isOver || !page.ok) return false;
    const taken = await take(page.value);
    if (pull.isOver || taken === 'failed') return false;
    if (taken === 'done') return true;
  }
}
