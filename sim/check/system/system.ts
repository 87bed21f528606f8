import type { AnyStateMachine } from 'xstate';
import { knownText } from '../../input/nearest.ts';
import type { Broken, Explorable, Move } from '../kit/explore.ts';
import { BadCheck, called, held } from '../kit/form.ts';
import { actorsText } from '../player/actors.ts';
import { eventName, handledEvents, handles } from '../player/chart.ts';
import type { Command, Event, MachineReaction, Moment } from '../player/moment.ts';
import { canHear, MachinePlayer, stateOf } from '../player/player.ts';
import type { Letter, SystemCheck, Told, View } from './system-check.ts';
import { expectLetters } from './system-form.ts';

/**
 * Several machines that interact over a channel, as an explorable system: letters may be lost, duplicated and
 * reordered, deadlines fire in their order, and the owner of a machine may send it events at any moment.
 */

export class System implements Explorable<SystemState> {
  readonly #check: SystemCheck;
  readonly #players: ReadonlyMap<string, MachinePlayer>;
  readonly #names: ReadonlySet<string>;
  readonly #told: readonly (Told & { readonly part: string })[];

  constructor(check: SystemCheck) {
    this.#check = check;
    this.#names = new Set(Object.keys(check.parts));
    // Parts of one machine share the memory of its steps.
    const players = new Map<AnyStateMachine, MachinePlayer>();
    for (const { machine } of Object.values(check.parts))
      players.set(machine, players.get(machine) ?? new MachinePlayer(machine));
    this.#players = new Map(
      Object.entries(check.parts).map(([name, { machine }]) => [name, players.get(machine) as MachinePlayer]),
    );
    this.#told = Object.entries(check.parts).flatMap(([part, { told = [] }]) =>
      told.map((each) => ({ ...each, part })),
    );
  }

  start(): SystemState {
    const { channel, mend = [] } = this.#check;
    const { losses, duplicates } = channel;
    const told = this.#told.map(() => 0);
    const nothing = {
      moments: new Map<string, Moment>(),
      letters: [],
      counts: new Map<string, number>(),
      commands: [],
    };
    const step = new Stepping(this, { nowMs: 0, losses, duplicates, told, isMended: mend.length === 0, ...nothing });
    for (const [name, { born, input }] of Object.entries(this.#check.parts)) {
      if (born === undefined) step.begin(name, input);
    }
    return step.end();
  }

  get check(): SystemCheck {
    return this.#check;
  }

  player(part: string): MachinePlayer {
    const player = this.#players.get(part);
    if (player === undefined) throw this.#noSuchPart(part);
    return player;
  }

  moves(state: SystemState): readonly Move<SystemState>[] {
    return [...this.#tellings(state), ...this.#deliveries(state), ...this.#time(state)];
  }

  isBeyond({ letters }: SystemState): boolean {
    return letters.length > this.#check.channel.inFlight;
  }

  key(state: SystemState): string {
    const { counted = [] } = this.#check;
    const view = this.view(state);
    const parts = [...this.#players.keys()].map((part) => {
      const moment = state.moments.get(part);
      if (moment === undefined) return '';
      const { value, context, status } = moment.snapshot;
      const actors = actorsText(moment.snapshot);
      const shifter = status === 'active' ? this.#shifter(part, view) : undefined;
      const deadlines = moment.deadlines.map(({ id, dueMs }) => [id, dueMs - state.nowMs]);
      return JSON.stringify(status === 'active' ? [value, context, deadlines, actors] : [value], shifter);
    });
    const letters = state.letters.map(({ to, event, sentMs }) =>
      JSON.stringify([to, event, state.nowMs - sentMs], this.#shifter(to, view)),
    );
    const counts = counted.map((name) => Math.min(2, state.counts.get(name) ?? 0));
    const { losses, duplicates, told, isMended, error } = state;
    return JSON.stringify([parts, letters.sort(), losses, duplicates, told, counts, isMended, error]);
  }

  /** Rebases the growing numbers of a part. */
  #shifter(part: string, view: View): ((name: string, value: unknown) => unknown) | undefined {
    const relative = this.#check.relative?.[part];
    if (relative === undefined) return undefined;
    return (name, value) => {
      const origin = typeof value === 'number' ? relative[name] : undefined;
      return origin === undefined ? value : (value as number) - origin(view);
    };
  }

  broken(state: SystemState): Broken | undefined {
    if (state.error !== undefined) return { rule: 'no machine throws', detail: state.error };
    const view = this.view(state);
    for (const [rule, holds] of Object.entries(this.#check.rules ?? {})) {
      const answer = held(`rule "${rule}" of ${this.#check.name}`, () => holds(view));
      if (answer !== true) return { rule, detail: answer === false ? this.show(state) : answer };
    }
    return undefined;
  }

  /** Losses end, then letters arrive in the order in which they were sent, then time passes. */
  heal(state: SystemState): SystemState | undefined {
    const step = new Stepping(this, state);
    if (!state.isMended) {
      step.mend();
      return step.end();
    }
    const [letter, ...rest] = state.letters;
    if (letter !== undefined) {
      step.keep(rest);
      step.deliver(letter);
      return step.end();
    }
    const due = this.#due(state);
    if (due === undefined) return undefined;
    step.fire(due);
    return step.end();
  }

  settled(state: SystemState): true | string {
    if (state.letters.length > 0) return 'letters are in flight';
    const agreed = held(`agree of ${this.#check.name}`, () => this.#check.agree(this.view(state)));
    return agreed === false ? 'they do not agree' : agreed;
  }

  nowMs({ nowMs }: SystemState): number {
    return nowMs;
  }

  commands({ commands }: SystemState): readonly Command[] {
    return commands;
  }

  show(state: SystemState): string {
    const view = this.view(state);
    return [...this.#players.keys()].map((part) => `${part} ${view.state(part)}`).join(', ');
  }

  view(state: Pick<SystemState, 'nowMs' | 'moments' | 'counts' | 'letters'>): View {
    const { moments, counts } = state;
    return {
      get nowMs() {
        return state.nowMs;
      },
      get inFlight() {
        return state.letters.length;
      },
      state: (part) => stateAt(moments.get(this.#known(part))),
      context: (part) => moments.get(this.#known(part))?.snapshot.context,
      count: (part, command) => counts.get(`${this.#known(part)} ${command}`) ?? 0,
    };
  }

  /** Names of the parts. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Throws if no state of a part handles an event, which would have no effect. */
  expectEvent(part: string, type: string): void {
    const { machine } = this.player(part);
    if (type === this.#check.parts[part]?.born?.by || handles(machine, type)) return;
    throw new BadCheck(
      `${this.#check.name}: ${part} is sent ${type}, which no state of it handles ${knownText(type, handledEvents(machine))}`,
    );
  }

  #known(part: string): string {
    if (this.#names.has(part)) return part;
    throw this.#noSuchPart(part);
  }

  #noSuchPart(part: string): BadCheck {
    return new BadCheck(`${this.#check.name} has no part "${part}" ${knownText(part, this.#names)}`);
  }

  #tellings(state: SystemState): Move<SystemState>[] {
    const view = this.view(state);
    return this.#told.flatMap(({ part, event, times, when }, index) => {
      const moment = state.moments.get(part);
      const isBorn = this.#check.parts[part]?.born?.by === event.type;
      const isThere = (moment !== undefined && canHear(moment, event)) || isBorn;
      if (!isThere || (state.told[index] ?? 0) >= times || when?.(view) === false) return [];
      const told = state.told.map((count, each) => (each === index ? count + 1 : count));
      return [
        { name: `${part} is sent ${event.type}`, next: () => this.#then({ ...state, told }, { to: part, event }) },
      ];
    });
  }

  #deliveries(state: SystemState): Move<SystemState>[] {
    const seen = new Set<string>();
    return state.letters.flatMap((letter, index) => {
      const name = `${letter.to} ← ${textOf(letter.event)}`;
      if (seen.has(name)) return [];
      seen.add(name);
      const letters = state.letters.filter((_, each) => each !== index);
      const { losses, duplicates } = state;
      const moves = [{ name, next: () => this.#then({ ...state, letters }, letter, true) }];
      if (losses > 0)
        moves.push({ name: `lost: ${name}`, next: () => ({ ...state, letters, losses: losses - 1, commands: [] }) });
      if (duplicates > 0)
        moves.push({
          name: `twice: ${name}`,
          next: () => this.#then({ ...state, duplicates: duplicates - 1 }, letter, true),
        });
      return moves;
    });
  }

  /** The next deadline, unless a letter must arrive before it. */
  #time(state: SystemState): Move<SystemState>[] {
    const due = this.#due(state);
    if (due === undefined) return [];
    const { dueMs } = due;
    if (state.letters.some(({ sentMs }) => sentMs + this.#check.channel.latencyMs < dueMs)) return [];
    const next = () => {
      const step = new Stepping(this, state);
      step.fire(due);
      return step.end();
    };
    return [{ name: `${due.part}: ${eventName(due.type)}`, next }];
  }

  #due({ moments }: SystemState): Due | undefined {
    let first: Due | undefined;
    for (const [part, { deadlines }] of moments) {
      const [due] = deadlines;
      if (due !== undefined && (first === undefined || due.dueMs < first.dueMs))
        first = { part, dueMs: due.dueMs, type: due.event.type };
    }
    return first;
  }

  #then(state: SystemState, letter: Letter, isArrival = false): SystemState {
    const step = new Stepping(this, state);
    if (isArrival) step.deliver(letter);
    else step.tell(letter.to, letter.event);
    return step.end();
  }
}

/** Path of the state of a part; `none` before its begin. */
function stateAt(moment: Moment | undefined): string {
  return moment === undefined ? 'none' : stateOf(moment);
}

function textOf({ type, ...said }: Event): string {
  return Object.keys(said).length === 0 ? type : `${type} ${JSON.stringify(said).replaceAll('"', '')}`;
}

/** One step of a system: a machine gets an event, and its commands reach the other parts or the channel. */

/** A letter in flight. */
export interface Flying extends Letter {
  readonly sentMs: number;
}

export interface SystemState {
  readonly nowMs: number;
  readonly moments: ReadonlyMap<string, Moment>;
  readonly letters: readonly Flying[];
  readonly losses: number;
  readonly duplicates: number;
  /** How often each event of the owners was sent. */
  readonly told: readonly number[];
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

export class Stepping {
  readonly #system: System;
  readonly #before: SystemState;
  readonly #moments: Map<string, Moment>;
  readonly #counts: Map<string, number>;
  readonly #commands: Command[] = [];
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

  tell(part: string, event: Event): void {
    this.#system.expectEvent(part, event.type);
    const moment = this.#moments.get(part);
    if (moment !== undefined && moment.snapshot.status === 'active') {
      this.#take(part, this.#system.player(part).tell({ ...moment, nowMs: this.#nowMs }, event));
      return;
    }
    const born = this.#system.check.parts[part]?.born;
    if (born?.by === event.type) this.begin(part, born.input?.(event, this.#nowMs));
  }

  /** A letter arrives through the channel. */
  deliver(letter: Letter): void {
    const { arrive } = this.#system.check;
    if (arrive === undefined) this.tell(letter.to, letter.event);
    else this.#post(() => arrive(letter, this.#view), `arrive (${letter.to} ← ${letter.event.type})`);
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

  /** Only these letters are in flight. */
  keep(letters: readonly Flying[]): void {
    this.#letters = [...letters];
  }

  /** The state after all parts in one process have reacted. */
  end(): SystemState {
    for (let letter = this.#mailbox.shift(); letter !== undefined; letter = this.#mailbox.shift()) {
      this.tell(letter.to, letter.event);
    }
    return this.#state();
  }

  /** A view that follows the step. */
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
      commands: this.#commands,
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  #take(part: string, { moment, commands, error }: MachineReaction): void {
    const { wire, notice } = this.#system.check;
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
      this.#post(() => wire({ from: part, command, view: this.#view }), `wire (${part}: ${command.type})`);
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
