/** A machine between two events, and the reaction to one event. */
import type { AnyMachineSnapshot, AnyTransitionDefinition } from 'xstate';

export interface Event {
  readonly type: string;
}

export interface Command {
  readonly type: string;
}

/** A deadline, and the event that it sends. */
export interface Deadline {
  readonly id: string;
  readonly dueMs: number;
  readonly event: Event;
}

/** A machine at rest between two events. */
export interface Moment {
  readonly nowMs: number;
  readonly snapshot: AnyMachineSnapshot;
  /** Sorted by due time, then by the order in which they were set. */
  readonly deadlines: readonly Deadline[];
}

export interface MachineReaction {
  readonly moment: Moment;
  readonly commands: readonly Command[];
  /** The transitions that were taken, eventless ones included. */
  readonly taken: readonly AnyTransitionDefinition[];
  /** The error that the machine has thrown; then there is no next moment. */
  readonly error?: unknown;
}

/** What survives the end of the owner of the machine: JSON, and its deadlines. */
export interface Persisted {
  readonly nowMs: number;
  readonly snapshot: unknown;
  readonly deadlines: readonly Deadline[];
}
