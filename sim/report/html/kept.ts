/**
 * What was said and which states were told, as much of it as a page can hold: of a long run the end, and of the states before
 * it those that stood when it begins.
 */
import type { Message, StateChange } from './data.ts';
import { Names } from './names.ts';

/** How much goes into one page; beyond it the page would be slow. */
const mostRows = 60_000;
/** How many rows there are before some are dropped: dropping one at a time would take long. */
const roomRows = 80_000;

interface KeptRows {
  readonly messages: Message[];
  readonly states: StateChange[];
  /** The texts that they name; others may be added. */
  readonly names: Names;
}

export class Kept {
  readonly names = new Names();
  #messages: Message[] = [];
  #states: StateChange[] = [];
  readonly #dropped = { messages: 0, states: 0 };

  said(message: Message): void {
    this.#messages.push(message);
    if (this.#messages.length >= roomRows) this.#dropMessages();
  }

  changed(change: StateChange): void {
    this.#states.push(change);
    if (this.#states.length >= roomRows) this.#dropStates();
  }

  /** What is kept, with names that are used. */
  finish(): KeptRows {
    this.#dropMessages();
    this.#dropStates();
    const all = this.names.all;
    const used = new Names();
    const again = (name: number) => (name < 0 ? name : used.of(all[name] ?? ''));
    const messages = this.#messages.map(
      ([atMs, from, to, what, more, callid]): Message => [atMs, from, to, again(what), again(more), again(callid)],
    );
    const states = this.#states.map(
      ([atMs, place, machine, key, state]): StateChange => [atMs, place, again(machine), again(key), again(state)],
    );
    return { messages, states, names: used };
  }

  /** What was dropped, in words. */
  get leftOut(): string[] {
    const { messages, states } = this.#dropped;
    const texts: string[] = [];
    if (messages > 0) texts.push(`The last ${mostRows} messages are shown; ${messages} earlier ones are left out.`);
    if (states > 0) texts.push(`${states} early changes of states are left out; states at any later moment are right.`);
    return texts;
  }

  #dropMessages(): void {
    const many = this.#messages.length - mostRows;
    if (many <= 0) return;
    this.#dropped.messages += many;
    this.#messages = this.#messages.slice(many);
  }

  /** Of the changes that are dropped the last of each machine stays. */
  #dropStates(): void {
    const many = this.#states.length - mostRows;
    if (many <= 0) return;
    const last = new Map<string, StateChange>();
    for (const change of this.#states.slice(0, many)) {
      const [, place, machine, key, state] = change;
      const id = `${place} ${machine} ${key}`;
      last.delete(id);
      if (state >= 0) last.set(id, change);
    }
    this.#dropped.states += many - last.size;
    this.#states = [...last.values(), ...this.#states.slice(many)];
  }
}
