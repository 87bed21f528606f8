/**
 * The messages and changes of state that fit into a page: the end of a long run, and before it what is near a fault, a
 * repair or a step. Rows are dropped during the run, so that memory stays bounded.
 */
import { nearest } from './compared.ts';
import type { Gap, Message, StateChange } from './page-data.ts';

/** Strings by number: each is stored once. */
export class NameTable {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get all(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}

/** Weight of the time around a fault, relative to that around a step. */
const faultWeight = 10;
/** Time before a moment counts this much more than time after it. */
const beforeWeight = 3;

/** The important moments of a run, and the distance of a row from them. */
export class Moments {
  readonly #faults: number[] = [];
  readonly #steps: number[] = [];

  /** A fault began or ended. */
  fault(atMs: number): void {
    this.#faults.push(atMs);
  }

  /** A step ended. */
  step(atMs: number): void {
    this.#steps.push(atMs);
  }

  /** Weighted milliseconds from the nearest moment; infinite without one. */
  distance(atMs: number): number {
    return Math.min(distance(this.#faults, atMs) / faultWeight, distance(this.#steps, atMs));
  }
}

/** `moments` are sorted by time. */
function distance(moments: readonly number[], atMs: number): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  const [last = Number.NEGATIVE_INFINITY, next = Number.POSITIVE_INFINITY] = [moments[low - 1], moments[low]];
  return Math.min(atMs - last, (next - atMs) * beforeWeight);
}

/** Limits of one page; beyond them it would be slow. */
const mostRows = 60_000;
/** How far a limit may be exceeded before rows are dropped: dropping them one at a time would take long. */
const room = 20_000;
/** SIP messages are rare compared with those between nodes, and an incomplete call is of little use. */
const sipWeight = 10;
/** Nodes that have lost each other send pings all the time. */
const peerWeight = 0.1;

interface KeptRows {
  readonly messages: Message[];
  readonly states: StateChange[];
  /** The strings that the rows name; others may be added. */
  readonly names: NameTable;
  /** Missing messages. */
  readonly gaps: Gap[];
  /** Missing changes of the same machine. */
  readonly stateGaps: Gap[];
}

export class Kept {
  /** Faults and steps. */
  readonly moments = new Moments();
  #names = new NameTable();
  #messages: Message[] = [];
  /** Number of messages dropped right before each. */
  #dropped: number[] = [];
  #states: StateChange[] = [];
  #mostStates = mostRows + room;
  /** Number of changes of the same machine dropped right before each. */
  #droppedStates: number[] = [];
  #firstMs: number | undefined;
  #said = 0;
  #changed = 0;

  /** Strings of rows that are about to be added; the numbers are valid until then. */
  get names(): NameTable {
    return this.#names;
  }

  /** Number of messages. */
  get said(): number {
    return this.#said;
  }

  /** Time of the first message. */
  get firstMs(): number | undefined {
    return this.#firstMs;
  }

  say(message: Message): void {
    this.#firstMs ??= message[0];
    this.#said += 1;
    this.#messages.push(message);
    this.#dropped.push(0);
    if (this.#messages.length < mostRows + room) return;
    this.#dropMessages();
    this.#dropNames();
  }

  change(change: StateChange): void {
    this.#changed += 1;
    this.#states.push(change);
    this.#droppedStates.push(0);
    if (this.#states.length < this.#mostStates) return;
    this.#dropStates();
    this.#dropNames();
  }

  /** The kept rows, with the strings that they use. */
  finish(): KeptRows {
    this.#dropMessages();
    this.#dropStates();
    this.#dropNames();
    return {
      messages: this.#messages,
      states: this.#states,
      names: this.#names,
      gaps: gapsOf(this.#dropped),
      stateGaps: gapsOf(this.#droppedStates),
    };
  }

  /** A note about dropped rows. */
  get leftOut(): string[] {
    const texts: string[] = [];
    const kept = this.#messages.length;
    if (kept < this.#said)
      texts.push(
        `${grouped(kept)} of ${grouped(this.#said)} messages are kept: the last ones, those of phones and providers before others, and those near a fault, a repair or a step.`,
      );
    const changes = this.#states.length;
    if (changes < this.#changed)
      texts.push(`${grouped(changes)} of ${grouped(this.#changed)} changes of state are kept; gaps are marked.`);
    return texts;
  }

  #dropMessages(): void {
    const worth = ([, , , , , callid]: Message) => (callid < 0 ? 1 : sipWeight);
    const distance = (message: Message) => this.moments.distance(message[0]) / worth(message);
    const stays = nearest(this.#messages, { most: mostRows, distance });
    const dropped: number[] = [];
    let count = 0;
    for (const [i, more] of this.#dropped.entries()) {
      count += more;
      if (stays[i]) dropped.push(count);
      count = stays[i] ? 0 : count + 1;
    }
    this.#messages = this.#messages.filter((_, i) => stays[i]);
    this.#dropped = dropped;
  }

  /** Of adjacent dropped changes of a machine the last stays, so that its state is known after them. */
  #dropStates(): void {
    const peer = this.#names.of('peer');
    const weight = ([, , machine]: StateChange) => (machine === peer ? peerWeight : 1);
    const distance = (change: StateChange) => this.moments.distance(change[0]) / weight(change);
    const stays = withLast(this.#states, nearest(this.#states, { most: mostRows, distance }));
    const states: StateChange[] = [];
    const dropped: number[] = [];
    const counts = new Map<string, number>();
    for (const [i, change] of this.#states.entries()) {
      const id = machineId(change);
      const count = (counts.get(id) ?? 0) + (this.#droppedStates[i] ?? 0);
      counts.set(id, stays[i] ? 0 : count + 1);
      if (!stays[i]) continue;
      states.push(change);
      dropped.push(count);
    }
    this.#states = states;
    this.#droppedStates = dropped;
    this.#mostStates = Math.max(mostRows, states.length) + room;
  }

  /** Unused strings are dropped too. */
  #dropNames(): void {
    const all = this.#names.all;
    const used = new NameTable();
    const again = (name: number) => (name < 0 ? name : used.of(all[name] ?? ''));
    this.#messages = this.#messages.map(([atMs, from, to, what, more, callid]) => {
      return [atMs, from, to, again(what), again(more), again(callid)];
    });
    this.#states = this.#states.map(([atMs, place, machine, key, state]) => {
      return [atMs, place, again(machine), again(key), again(state)];
    });
    this.#names = used;
  }
}

/** Includes the last change of each machine among the dropped ones; not its end if nothing else of it is kept. */
function withLast(changes: readonly StateChange[], stays: readonly boolean[]): boolean[] {
  const all = [...stays];
  const hasLast = new Set<string>();
  for (let i = changes.length - 1; i >= 0; i -= 1) {
    const change = changes[i];
    if (change === undefined) continue;
    const id = machineId(change);
    if (stays[i]) hasLast.delete(id);
    else if (!hasLast.has(id)) {
      all[i] = true;
      hasLast.add(id);
    }
  }
  const live = new Set<string>();
  return changes.map((change, i) => {
    if (!all[i]) return false;
    const id = machineId(change);
    if (change[4] < 0) return live.delete(id);
    live.add(id);
    return true;
  });
}

/** `86,019`. */
function grouped(count: number): string {
  return count.toLocaleString('en');
}

function gapsOf(dropped: readonly number[]): Gap[] {
  return dropped.flatMap((count, index): Gap[] => (count > 0 ? [[index, count]] : []));
}

function machineId([, place, machine, key]: StateChange): string {
  return `${place} ${machine} ${key}`;
}
