/** Where a machine stands between two events, and what one event makes of it. */
import type { AnyMachineSnapshot, AnyTransitionDefinition } from 'xstate';

export interface Fact {
  readonly type: string;
}

export interface Order {
  readonly type: string;
}

/** A deadline that was set, and what the machine is told when it is over. */
export interface Deadline {
  readonly id: string;
  readonly dueMs: number;
  readonly fact: Fact;
}

/** A machine at rest, between two facts. */
export interface Moment {
  readonly nowMs: number;
  readonly snapshot: AnyMachineSnapshot;
  /** By when they are due, then in the order in which they were set. */
  readonly deadlines: readonly Deadline[];
}

export interface Reaction {
  readonly moment: Moment;
  readonly orders: readonly Order[];
  /** The transitions that were taken, those that need no fact included. */
  readonly taken: readonly AnyTransitionDefinition[];
  /** Why there is no next moment: what the machine has thrown. */
  readonly error?: unknown;
}

/** What survives when whoever runs the machine dies: JSON, and the deadlines as its clock has kept them. */
export interface Persisted {
  readonly nowMs: number;
  readonly snapshot: unknown;
  readonly deadlines: readonly Deadline[];
}
