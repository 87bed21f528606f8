/** What an exploration needs to know of several machines that talk: who they are, what they say, and in what they must agree. */
import type { AnyStateMachine } from 'xstate';
import type { ExploreBound } from '../kit/explore.ts';
import type { ScenarioStep } from '../machine/machine-check.ts';
import type { Command, Event } from '../player/moment.ts';

export interface Part {
  readonly machine: AnyStateMachine;
  /** What it starts from. */
  readonly input?: unknown;
  /** It is not there until such an event reaches it, and again once it is over: what it then starts from. */
  readonly born?: { readonly by: string; readonly input?: (event: Event, nowMs: number) => unknown };
  /** What its owner may tell it at any moment, each so many times. */
  readonly told?: readonly Told[];
}

export interface Told {
  readonly event: Event;
  readonly times: number;
  /** Default: at any moment. */
  readonly when?: (view: View) => boolean;
}

/** What one part says to another. */
export interface Letter {
  readonly to: string;
  readonly event: Event;
  /** It comes at once and surely: both are in one process. */
  readonly isSure?: boolean;
}

/** A state as rules see it. */
export interface View {
  readonly nowMs: number;
  /** Path of the state of a part; `none` where it is not there, or no more. */
  state(part: string): string;
  context(part: string): unknown;
  /** How often a part gave a command. */
  count(part: string, command: string): number;
  readonly inFlight: number;
}

export interface SystemCheck {
  readonly name: string;
  readonly parts: Readonly<Record<string, Part>>;
  /** What a command says to others. */
  readonly wire: (given: {
    readonly from: string;
    readonly command: Command;
    readonly view: View;
  }) => readonly Letter[];
  /** What others notice of a part by its state; `before` is `none` when it has just begun. */
  readonly notice?: (change: {
    readonly part: string;
    readonly before: string;
    readonly after: string;
  }) => readonly Letter[];
  /** What becomes of a letter that arrives; default: its event is told to the part. */
  readonly arrive?: (letter: Letter, view: View) => readonly Letter[];
  readonly channel: Channel;
  /** What must hold in every state, by a sentence that says so. */
  readonly rules?: Readonly<Record<string, (view: View) => boolean | string>>;
  /** Whether all agree; a text says what they differ in. */
  readonly agree: (view: View) => boolean | string;
  /** What is told when nothing is lost any more: faults end. */
  readonly mend?: readonly Letter[];
  /**
   * Numbers that only grow (times, numbers of requests), by part and name of the field, and what they are counted from: so
   * that states in which the same can happen are the same.
   */
  readonly relative?: Readonly<Record<string, Relative>>;
  /** Commands of which it matters how often they were given, as `part command`. Twice is as often as can be told apart. */
  readonly counted?: readonly string[];
  /** What a move, by its name, would be as steps of a scenario; none where nothing outside leads to it. */
  readonly scenario?: (move: string) => readonly ScenarioStep[];
  /** Default: 20 moves, 20 000 states, and agreement within a minute. */
  readonly bound?: Partial<ExploreBound>;
}

/** By the name of the field, in the context of a part and in letters to it. */
export type Relative = Readonly<Record<string, (view: View) => number>>;

export interface Channel {
  /** How many letters may be lost, and how many may come twice. */
  readonly losses: number;
  readonly duplicates: number;
  /** At most so many are under way; what would be more is not gone on from. */
  readonly inFlight: number;
  /** How long a letter may take. */
  readonly latencyMs: number;
}
