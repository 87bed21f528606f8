/**
 * Several machines that talk over a channel, as a thing to explore: letters may be lost, come twice and overtake each
 * other, deadlines come in their order, and whoever owns a machine may tell it something at any moment.
 */
import type { AnyStateMachine } from 'xstate';
import { knownText } from '../nearest.ts';
import { actorsText } from './actors.ts';
import { held } from './answers.ts';
import { factName, handledFacts, handles } from './chart.ts';
import type { Broken, Explorable, Move } from './explore.ts';
import { BadCheck } from './form.ts';
import { canHear, type Fact, type Moment, type Order, Player, stateOf } from './player.ts';
import { type Due, Stepping, type SystemState } from './stepping.ts';
import type { Letter, SystemCheck, Told, View } from './system-check.ts';

export class System implements Explorable<SystemState> {
  readonly #check: SystemCheck;
  readonly #players: ReadonlyMap<string, Player>;
  readonly #names: ReadonlySet<string>;
  readonly #told: readonly (Told & { readonly part: string })[];

  constructor(check: SystemCheck) {
    this.#check = check;
    this.#names = new Set(Object.keys(check.parts));
    // Parts of one machine share what is known of its steps.
    const players = new Map<AnyStateMachine, Player>();
    for (const { machine } of Object.values(check.parts))
      players.set(machine, players.get(machine) ?? new Player(machine));
    this.#players = new Map(
      Object.entries(check.parts).map(([name, { machine }]) => [name, players.get(machine) as Player]),
    );
    this.#told = Object.entries(check.parts).flatMap(([part, { told = [] }]) =>
      told.map((each) => ({ ...each, part })),
    );
  }

  start(): SystemState {
    const { channel, mend = [] } = this.#check;
    const { losses, duplicates } = channel;
    const told = this.#told.map(() => 0);
    const nothing = { moments: new Map<string, Moment>(), letters: [], counts: new Map<string, number>(), orders: [] };
    const step = new Stepping(this, { nowMs: 0, losses, duplicates, told, isMended: mend.length === 0, ...nothing });
    for (const [name, { born, input }] of Object.entries(this.#check.parts)) {
      if (born === undefined) step.begin(name, input);
    }
    return step.end();
  }

  get check(): SystemCheck {
    return this.#check;
  }

  player(part: string): Player {
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
    const letters = state.letters.map(({ to, fact, sentMs }) =>
      JSON.stringify([to, fact, state.nowMs - sentMs], this.#shifter(to, view)),
    );
    const counts = counted.map((name) => Math.min(2, state.counts.get(name) ?? 0));
    const { losses, duplicates, told, isMended, error } = state;
    return JSON.stringify([parts, letters.sort(), losses, duplicates, told, counts, isMended, error]);
  }

  /** Counts the numbers of a part that only grow from what they are relative to. */
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

  /** Faults end, then letters arrive in the order in which they were sent, then time passes. */
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
    if (state.letters.length > 0) return 'letters are under way';
    const agreed = held(`agree of ${this.#check.name}`, () => this.#check.agree(this.view(state)));
    return agreed === false ? 'they do not agree' : agreed;
  }

  nowMs({ nowMs }: SystemState): number {
    return nowMs;
  }

  orders({ orders }: SystemState): readonly Order[] {
    return orders;
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
      count: (part, order) => counts.get(`${this.#known(part)} ${order}`) ?? 0,
    };
  }

  /** Names of the parts. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Throws where no state of a part handles a fact: it would be told for nothing. */
  expectFact(part: string, type: string): void {
    const { machine } = this.player(part);
    if (type === this.#check.parts[part]?.born?.by || handles(machine, type)) return;
    throw new BadCheck(
      `${this.#check.name}: ${part} is told ${type}, which no state of it handles ${knownText(type, handledFacts(machine))}`,
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
    return this.#told.flatMap(({ part, fact, times, when }, index) => {
      const moment = state.moments.get(part);
      const isBorn = this.#check.parts[part]?.born?.by === fact.type;
      const isThere = (moment !== undefined && canHear(moment, fact)) || isBorn;
      if (!isThere || (state.told[index] ?? 0) >= times || when?.(view) === false) return [];
      const told = state.told.map((count, each) => (each === index ? count + 1 : count));
      return [{ name: `${part} is told ${fact.type}`, next: () => this.#then({ ...state, told }, { to: part, fact }) }];
    });
  }

  #deliveries(state: SystemState): Move<SystemState>[] {
    const seen = new Set<string>();
    return state.letters.flatMap((letter, index) => {
      const name = `${letter.to} ← ${textOf(letter.fact)}`;
      if (seen.has(name)) return [];
      seen.add(name);
      const letters = state.letters.filter((_, each) => each !== index);
      const { losses, duplicates } = state;
      const moves = [{ name, next: () => this.#then({ ...state, letters }, letter, true) }];
      if (losses > 0)
        moves.push({ name: `lost: ${name}`, next: () => ({ ...state, letters, losses: losses - 1, orders: [] }) });
      if (duplicates > 0)
        moves.push({
          name: `twice: ${name}`,
          next: () => this.#then({ ...state, duplicates: duplicates - 1 }, letter, true),
        });
      return moves;
    });
  }

  /** The next deadline, if no letter must arrive before it. */
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
    return [{ name: `${due.part}: ${factName(due.type)}`, next }];
  }

  #due({ moments }: SystemState): Due | undefined {
    let first: Due | undefined;
    for (const [part, { deadlines }] of moments) {
      const [due] = deadlines;
      if (due !== undefined && (first === undefined || due.dueMs < first.dueMs))
        first = { part, dueMs: due.dueMs, type: due.fact.type };
    }
    return first;
  }

  #then(state: SystemState, letter: Letter, isArrival = false): SystemState {
    const step = new Stepping(this, state);
    if (isArrival) step.deliver(letter);
    else step.tell(letter.to, letter.fact);
    return step.end();
  }
}

/** Path of the state of a part; `none` where it was never there. */
function stateAt(moment: Moment | undefined): string {
  return moment === undefined ? 'none' : stateOf(moment);
}

function textOf({ type, ...said }: Fact): string {
  return Object.keys(said).length === 0 ? type : `${type} ${JSON.stringify(said).replaceAll('"', '')}`;
}
