/**
 * The observer of a process, notified of messages between instances and of the states of instances and entities. An
 * observer only reads. Without a probe, no work is done.
 */
import type { Envelope } from '../../model/cluster/envelope.ts';
import type { InstanceStatus } from '../../model/cluster/states.ts';
import type { Fault } from '../../model/fault.ts';

/** Why an instance crashed: a defect, or a fault that a simulation injected. */
export type CrashCause = 'bug' | 'injected';

export interface Probe {
  /** An envelope was given to the router of its origin node. For an ask, this opens the ask. */
  sent(node: string, envelope: Envelope): void;
  /** An envelope has reached its destination node and goes to an instance there or to the node itself. */
  delivered(node: string, envelope: Envelope): void;
  /** An envelope was dropped as a dead letter. */
  dead(node: string, envelope: Envelope, reason: string): void;
  /** An ask has ended: answered (`fault` is `undefined`), or with this fault. */
  askEnded(node: string, ask: AskLook, fault: Fault | undefined): void;
  /** An operation has asked instances at once: how many, and how many of them did not answer. */
  fannedOut(by: string, type: string, asked: number, unanswered: number): void;
  /** `stopped` after a drain or a crash: the instance's memory is lost. */
  instanceStatus(address: string, status: InstanceStatus): void;
  instanceCrashed(address: string, reason: string, cause: CrashCause): void;
  /** An entity is in this state now. */
  entityState(entity: EntityLook): void;
  /** A rare event was counted: see `actors/counters.ts`. */
  counted(address: string, name: string): void;
}

/** Current amounts held by an instance, a node or the simulated outside world. */
export interface Census {
  /** An address, or `outside`. */
  readonly of: string;
  /** `timers`, `asks`, `entities.<machine>`, `legs` … */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * `withDetails`: include amounts that are expensive to count; `isMonitoring`: amounts that only monitoring reads; `of`: the
 * instances with these addresses alone, without their asks.
 */
export interface CensusOptions {
  readonly of?: ReadonlySet<string>;
  readonly withDetails?: boolean;
  readonly isMonitoring?: boolean;
}

/** An ask as seen by an observer: id of its envelope, asker, receiver, type. */
export interface AskLook {
  readonly id: string;
  readonly owner: string;
  readonly to: string;
  readonly type: string;
}

/** The state of an entity. */
export interface EntityLook {
  /** The address of its instance or node, or its endpoint outside. */
  readonly owner: string;
  /** The id of its machine. */
  readonly machine: string;
  readonly key: string;
  /** Names of nested states are joined by dots. `undefined`: the entity was removed. */
  readonly state: string | undefined;
  /** The previous state: the same state for an event without a transition, `undefined` for a new entity. */
  readonly before?: string | undefined;
}
