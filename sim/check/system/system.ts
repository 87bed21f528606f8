/**
 * Several machines that interact over a channel, as an explorable system: messages may be lost, duplicated and
 * reordered, deadlines fire in their order, and the owner of a machine may send it events at any moment.
 */
import type { AnyStateMachine } from 'xstate';
import { hintText, knownText, nearest } from '../../../src/model/shapes/nearest.ts';
import type { Broken, Explorable, Move } from '../kit/explore.ts';
import { BadCheck } from '../kit/form.ts';
import { ruleResult } from '../kit/user-code.ts';
import { actorsText } from '../player/actors.ts';
import { eventName, handledEvents, handles } from '../player/chart.ts';
import type { Command, Event, Moment } from '../player/moment.ts';
import { canReceive, MachinePlayer } from '../player/player.ts';
import type { OwnerEvent, PartMessage, SystemCheck, View } from './system-check.ts';
import { type Due, type Parts, Stepping, type SystemState, stateAt } from './system-step.ts';

export class System implements Explorable<SystemState>, Parts {
  readonly #check: SystemCheck;
  readonly #players: ReadonlyMap<string, MachinePlayer>;
  readonly #names: ReadonlySet<string>;
  readonly #ownerEvents: readonly (OwnerEvent & { readonly part: string })[];

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
    this.#ownerEvents = Object.entries(check.parts).flatMap(([part, { ownerEvents = [] }]) =>
      ownerEvents.map((each) => ({ ...each, part })),
    );
  }

  start(): SystemState {
    const { channel, mend = [] } = this.#check;
    const { losses, duplicates } = channel;
    const ownerEvents = this.#ownerEvents.map(() => 0);
    const nothing = {
      moments: new Map<string, Moment>(),
      messages: [],
      counts: new Map<string, number>(),
      commands: [],
    };
    const step = new Stepping(this, {
      nowMs: 0,
      losses,
      duplicates,
      ownerEvents,
      isMended: mend.length === 0,
      ...nothing,
    });
    for (const [name, { spawn, input }] of Object.entries(this.#check.parts)) {
      if (spawn === undefined) step.begin(name, input);
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
    return [...this.#ownerMoves(state), ...this.#deliveries(state), ...this.#time(state)];
  }

  isBeyond({ messages }: SystemState): boolean {
    return messages.length > this.#check.channel.inFlight;
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
    const messages = state.messages.map(({ to, event, sentMs }) =>
      JSON.stringify([to, event, state.nowMs - sentMs], this.#shifter(to, view)),
    );
    const counts = counted.map((name) => Math.min(2, state.counts.get(name) ?? 0));
    const { losses, duplicates, ownerEvents, isMended, error } = state;
    return JSON.stringify([parts, messages.sort(), losses, duplicates, ownerEvents, counts, isMended, error]);
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
      const answer = ruleResult(`rule "${rule}" of ${this.#check.name}`, () => holds(view));
      if (answer !== true) return { rule, detail: answer === false ? this.show(state) : answer };
    }
    return undefined;
  }

  /** Losses end, then messages arrive in the order in which they were sent, then time passes. */
  heal(state: SystemState): SystemState | undefined {
    const step = new Stepping(this, state);
    if (!state.isMended) {
      step.mend();
      return step.end();
    }
    const [message, ...rest] = state.messages;
    if (message !== undefined) {
      step.keep(rest);
      step.deliver(message);
      return step.end();
    }
    const due = this.#due(state);
    if (due === undefined) return undefined;
    step.fire(due);
    return step.end();
  }

  settled(state: SystemState): true | string {
    if (state.messages.length > 0) return 'messages are in flight';
    const agreed = ruleResult(`agree of ${this.#check.name}`, () => this.#check.agree(this.view(state)));
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

  view(state: Pick<SystemState, 'nowMs' | 'moments' | 'counts' | 'messages'>): View {
    const { moments, counts } = state;
    return {
      get nowMs() {
        return state.nowMs;
      },
      get inFlight() {
        return state.messages.length;
      },
      state: (part) => stateAt(moments.get(this.#known(part))),
      context: (part) => moments.get(this.#known(part))?.snapshot.context,
      count: (part, command) => counts.get(`${this.#known(part)} ${command}`) ?? 0,
    };
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  expectEvent(part: string, type: string): void {
    const { machine } = this.player(part);
    if (type === this.#check.parts[part]?.spawn?.on || handles(machine, type)) return;
    const known = handledEvents(machine);
    const wanted = `${knownText(type, known)}${hintText(nearest(type, known))}`;
    throw new BadCheck(`${this.#check.name}: ${part} is sent ${type}, which no state of it handles ${wanted}`);
  }

  #known(part: string): string {
    if (this.#names.has(part)) return part;
    throw this.#noSuchPart(part);
  }

  #noSuchPart(part: string): BadCheck {
    const hint = hintText(nearest(part, this.#names));
    return new BadCheck(`${this.#check.name} has no part "${part}" ${knownText(part, this.#names)}${hint}`);
  }

  #ownerMoves(state: SystemState): Move<SystemState>[] {
    const view = this.view(state);
    return this.#ownerEvents.flatMap(({ part, event, times, when }, index) => {
      const moment = state.moments.get(part);
      const isSpawning = this.#check.parts[part]?.spawn?.on === event.type;
      const isThere = (moment !== undefined && canReceive(moment, event)) || isSpawning;
      if (!isThere || (state.ownerEvents[index] ?? 0) >= times || when?.(view) === false) return [];
      const ownerEvents = state.ownerEvents.map((count, each) => (each === index ? count + 1 : count));
      return [
        {
          name: `${part} is sent ${event.type}`,
          next: () => this.#then({ ...state, ownerEvents }, { to: part, event }),
        },
      ];
    });
  }

  #deliveries(state: SystemState): Move<SystemState>[] {
    const seen = new Set<string>();
    return state.messages.flatMap((message, index) => {
      const name = `${message.to} ← ${textOf(message.event)}`;
      if (seen.has(name)) return [];
      seen.add(name);
      const messages = state.messages.filter((_, each) => each !== index);
      const { losses, duplicates } = state;
      const moves = [{ name, next: () => this.#then({ ...state, messages }, message, true) }];
      if (losses > 0)
        moves.push({ name: `lost: ${name}`, next: () => ({ ...state, messages, losses: losses - 1, commands: [] }) });
      if (duplicates > 0)
        moves.push({
          name: `twice: ${name}`,
          next: () => this.#then({ ...state, duplicates: duplicates - 1 }, message, true),
        });
      return moves;
    });
  }

  /** The next deadline, unless a message must arrive before it. */
  #time(state: SystemState): Move<SystemState>[] {
    const due = this.#due(state);
    if (due === undefined) return [];
    const { dueMs } = due;
    if (state.messages.some(({ sentMs }) => sentMs + this.#check.channel.latencyMs < dueMs)) return [];
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

  #then(state: SystemState, message: PartMessage, isArrival = false): SystemState {
    const step = new Stepping(this, state);
    if (isArrival) step.deliver(message);
    else step.send(message.to, message.event);
    return step.end();
  }
}

function textOf({ type, ...said }: Event): string {
  return Object.keys(said).length === 0 ? type : `${type} ${JSON.stringify(said).replaceAll('"', '')}`;
}
