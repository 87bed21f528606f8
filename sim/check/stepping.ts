/** One step of a system: a machine is told something, and what it orders reaches the others or the channel. */
import { called } from './answers.ts';
import { type Fact, type Moment, type Order, type Reaction, stateOf } from './player.ts';
import type { System } from './system.ts';
import type { Letter, View } from './system-check.ts';
import { expectLetters } from './system-form.ts';

/** A letter that is under way. */
export interface Flying extends Letter {
  readonly sentMs: number;
}

export interface SystemState {
  readonly nowMs: number;
  readonly moments: ReadonlyMap<string, Moment>;
  readonly letters: readonly Flying[];
  readonly losses: number;
  readonly duplicates: number;
  /** How often each of what owners may tell was told. */
  readonly told: readonly number[];
  readonly counts: ReadonlyMap<string, number>;
  readonly isMended: boolean;
  readonly orders: readonly Order[];
  readonly error?: string;
}

/** A deadline of a part. */
export interface Due {
  readonly part: string;
  readonly dueMs: number;
  readonly type: string;
}

export class Stepping {
  readonly #system: System;
  readonly #before: SystemState;
  readonly #moments: Map<string, Moment>;
  readonly #counts: Map<string, number>;
  readonly #orders: Order[] = [];
  readonly #mailbox: Letter[] = [];
  readonly #view: View;
  #letters: Flying[];
  #nowMs: number;
  #isMended: boolean;
  #error: string | undefined;

  constructor(system: System, before: SystemState) {
    this.#system = system;
    this.#before = before;
    this.#moments = new Map(before.moments);
    this.#counts = new Map(before.counts);
    this.#letters = [...before.letters];
    this.#nowMs = before.nowMs;
    this.#isMended = before.isMended;
    this.#view = this.#liveView();
  }

  /** Starts a part. */
  begin(part: string, input: unknown): void {
    this.#take(part, this.#system.player(part).start(input, this.#nowMs));
  }

  tell(part: string, fact: Fact): void {
    this.#system.expectFact(part, fact.type);
    const moment = this.#moments.get(part);
    if (moment !== undefined && moment.snapshot.status === 'active') {
      this.#take(part, this.#system.player(part).tell({ ...moment, nowMs: this.#nowMs }, fact));
      return;
    }
    const born = this.#system.check.parts[part]?.born;
    if (born?.by === fact.type) this.begin(part, born.input?.(fact, this.#nowMs));
  }

  /** A letter has come through the channel. */
  deliver(letter: Letter): void {
    const { arrive } = this.#system.check;
    if (arrive === undefined) this.tell(letter.to, letter.fact);
    else this.#post(() => arrive(letter, this.#view), `arrive (${letter.to} ← ${letter.fact.type})`);
  }

  fire({ part, dueMs }: Due): void {
    this.#nowMs = Math.max(this.#nowMs, dueMs);
    const moment = this.#moments.get(part);
    if (moment !== undefined) this.#take(part, this.#system.player(part).fire({ ...moment, nowMs: this.#nowMs }));
  }

  /** Faults end. */
  mend(): void {
    this.#isMended = true;
    this.#post(() => this.#system.check.mend ?? [], 'mend');
  }

  /** Only these letters are under way. */
  keep(letters: readonly Flying[]): void {
    this.#letters = [...letters];
  }

  /** The state after all that is in one process has heard of it. */
  end(): SystemState {
    for (let letter = this.#mailbox.shift(); letter !== undefined; letter = this.#mailbox.shift()) {
      this.tell(letter.to, letter.fact);
    }
    return this.#state();
  }

  /** A view that goes along with the step. */
  #liveView(): View {
    const [moments, counts] = [this.#moments, this.#counts];
    const [nowMs, letters] = [() => this.#nowMs, () => this.#letters];
    return this.#system.view({
      moments,
      counts,
      get nowMs() {
        return nowMs();
      },
      get letters() {
        return letters();
      },
    });
  }

  #state(): SystemState {
    const { losses, duplicates, told } = this.#before;
    return {
      losses,
      duplicates,
      told,
      nowMs: this.#nowMs,
      moments: this.#moments,
      letters: this.#letters,
      counts: this.#counts,
      isMended: this.#isMended,
      orders: this.#orders,
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  #take(part: string, { moment, orders, error }: Reaction): void {
    const { wire, notice } = this.#system.check;
    const known = this.#moments.get(part);
    // A part that begins anew has been there before.
    const before = known === undefined || known.snapshot.status !== 'active' ? 'none' : stateOf(known);
    this.#moments.set(part, moment);
    if (error !== undefined) this.#error = `${part} in ${stateOf(moment)} has thrown ${String(error)}`;
    for (const order of orders) {
      if (order.type === 'fact.unexpected') continue;
      const name = `${part} ${order.type}`;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      this.#orders.push(order);
      this.#post(() => wire({ from: part, order, view: this.#view }), `wire (${part}: ${order.type})`);
    }
    if (notice !== undefined) this.#post(() => notice({ part, before, after: stateOf(moment) }), `notice (${part})`);
  }

  #post(make: () => readonly Letter[], by: string): void {
    const { names, check } = this.#system;
    const name = `${by} of ${check.name}`;
    const letters = called(name, make);
    for (const letter of expectLetters(letters, { names, by: name })) {
      if (letter.isSure === true) this.#mailbox.push(letter);
      else this.#letters.push({ ...letter, sentMs: this.#nowMs });
    }
  }
}
