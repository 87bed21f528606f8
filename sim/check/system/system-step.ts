/** One step of a system: a machine gets an event, and its commands reach the other parts or the channel. */
import { callUser } from '../kit/user-code.ts';
import type { Command, Event, MachineReaction, Moment } from '../player/moment.ts';
import { type MachinePlayer, stateOf } from '../player/player.ts';
import type { PartMessage, SystemCheck, View } from './system-check.ts';
import { expectMessages } from './system-form.ts';

/** A message in flight. */
interface MessageInFlight extends PartMessage {
  readonly sentMs: number;
}

/** A state of interacting machines, as the exploration keeps it. */
export interface SystemState {
  readonly nowMs: number;
  readonly moments: ReadonlyMap<string, Moment>;
  readonly messages: readonly MessageInFlight[];
  readonly losses: number;
  readonly duplicates: number;
  /** How often each event of the owners was sent. */
  readonly ownerEvents: readonly number[];
  readonly counts: ReadonlyMap<string, number>;
  readonly isMended: boolean;
  readonly commands: readonly Command[];
  readonly error?: string;
}

/** A deadline of a part. */
export interface Due {
  readonly part: string;
  readonly dueMs: number;
  readonly type: string;
}

/** The system that a state belongs to. */
export interface Parts {
  readonly check: SystemCheck;
  /** Names of the parts. */
  readonly names: ReadonlySet<string>;
  player(part: string): MachinePlayer;
  view(state: Pick<SystemState, 'nowMs' | 'moments' | 'counts' | 'messages'>): View;
  /** Throws if no state of a part handles an event, which would have no effect. */
  expectEvent(part: string, type: string): void;
}

/** Path of the state of a part; `none` before its begin. */
export function stateAt(moment: Moment | undefined): string {
  return moment === undefined ? 'none' : stateOf(moment);
}

export class Stepping {
  readonly #system: Parts;
  readonly #before: SystemState;
  readonly #moments: Map<string, Moment>;
  readonly #counts: Map<string, number>;
  readonly #commands: Command[] = [];
  readonly #mailbox: PartMessage[] = [];
  readonly #view: View;
  #messages: MessageInFlight[];
  #nowMs: number;
  #isMended: boolean;
  #error: string | undefined;

  constructor(system: Parts, before: SystemState) {
    this.#system = system;
    this.#before = before;
    this.#moments = new Map(before.moments);
    this.#counts = new Map(before.counts);
    this.#messages = [...before.messages];
    this.#nowMs = before.nowMs;
    this.#isMended = before.isMended;
    this.#view = this.#liveView();
  }

  /** Starts a part. */
  begin(part: string, input: unknown): void {
    this.#take(part, this.#system.player(part).start(input, this.#nowMs));
  }

  send(part: string, event: Event): void {
    this.#system.expectEvent(part, event.type);
    const moment = this.#moments.get(part);
    if (moment !== undefined && moment.snapshot.status === 'active') {
      this.#take(part, this.#system.player(part).send({ ...moment, nowMs: this.#nowMs }, event));
      return;
    }
    const spawn = this.#system.check.parts[part]?.spawn;
    if (spawn?.on === event.type) this.begin(part, spawn.input?.(event, this.#nowMs));
  }

  /** A message arrives through the channel. */
  deliver(message: PartMessage): void {
    const { onArrival } = this.#system.check;
    if (onArrival === undefined) this.send(message.to, message.event);
    else this.#post(() => onArrival(message, this.#view), `onArrival (${message.to} ← ${message.event.type})`);
  }

  fire({ part, dueMs }: Due): void {
    this.#nowMs = Math.max(this.#nowMs, dueMs);
    const moment = this.#moments.get(part);
    if (moment !== undefined) this.#take(part, this.#system.player(part).fire({ ...moment, nowMs: this.#nowMs }));
  }

  /** Losses end. */
  mend(): void {
    this.#isMended = true;
    this.#post(() => this.#system.check.mend ?? [], 'mend');
  }

  /** Only these messages are in flight. */
  keep(messages: readonly MessageInFlight[]): void {
    this.#messages = [...messages];
  }

  /** The state after all parts in one process have reacted. */
  end(): SystemState {
    for (let message = this.#mailbox.shift(); message !== undefined; message = this.#mailbox.shift()) {
      this.send(message.to, message.event);
    }
    return this.#state();
  }

  /** A view that follows the step. */
  #liveView(): View {
    const [moments, counts] = [this.#moments, this.#counts];
    const [nowMs, messages] = [() => this.#nowMs, () => this.#messages];
    return this.#system.view({
      moments,
      counts,
      get nowMs() {
        return nowMs();
      },
      get messages() {
        return messages();
      },
    });
  }

  #state(): SystemState {
    const { losses, duplicates, ownerEvents } = this.#before;
    return {
      losses,
      duplicates,
      ownerEvents,
      nowMs: this.#nowMs,
      moments: this.#moments,
      messages: this.#messages,
      counts: this.#counts,
      isMended: this.#isMended,
      commands: this.#commands,
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  #take(part: string, { moment, commands, error }: MachineReaction): void {
    const { onCommand, onStateChange } = this.#system.check;
    const known = this.#moments.get(part);
    // A part that begins anew has existed before.
    const before = known === undefined || known.snapshot.status !== 'active' ? 'none' : stateOf(known);
    this.#moments.set(part, moment);
    if (error !== undefined) this.#error = `${part} in ${stateOf(moment)} has thrown ${String(error)}`;
    for (const command of commands) {
      if (command.type === 'event.unexpected') continue;
      const name = `${part} ${command.type}`;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      this.#commands.push(command);
      this.#post(() => onCommand({ from: part, command, view: this.#view }), `onCommand (${part}: ${command.type})`);
    }
    if (onStateChange !== undefined)
      this.#post(() => onStateChange({ part, before, after: stateOf(moment) }), `onStateChange (${part})`);
  }

  #post(make: () => readonly PartMessage[], by: string): void {
    const { names, check } = this.#system;
    const name = `${by} of ${check.name}`;
    const messages = callUser(name, make);
    for (const message of expectMessages(messages, { names, by: name })) {
      if (message.isReliable === true) this.#mailbox.push(message);
      else this.#messages.push({ ...message, sentMs: this.#nowMs });
    }
  }
}
