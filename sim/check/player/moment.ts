/** Where a machine stands between two events, and what one event makes of it. */
import type { AnyMachineSnapshot, AnyTransitionDefinition } from 'xstate';

export interface Event {
  readonly type: string;
}

export interface Command {
  readonly type: string;
}

/** A deadline that was set, and what the machine is told when it is over. */
export interface Deadline {
  readonly id: string;
  readonly dueMs: number;
  readonly event: Event;
}

/** A machine at rest, between two events. */
export interface Moment {
  readonly nowMs: number;
  readonly snapshot: AnyMachineSnapshot;
  /** By when they are due, then in the order in which they were set. */
  readonly deadlines: readonly Deadline[];
}

export interface Reaction {
  readonly moment: Moment;
  readonly commands: readonly Command[];
  /** The transitions that were taken, those that need no event included. */
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
