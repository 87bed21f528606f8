/**
 * The onlooker of a process, if there is one: told what passes between its instances, and how these and their entities fare.
 * It changes nothing, and what it is handed it only reads. Where nobody looks on there is no probe, and nothing is paid.
 */
import type { Envelope } from '../model/envelope.ts';
import type { Fault } from '../model/fault.ts';
import type { InstanceStatus } from '../model/states.ts';

/** Why an instance crashed: a defect, or a fault that a simulation injected. */
export type CrashCause = 'bug' | 'injected';

export interface Probe {
  /** An envelope was given to the router of the node where it begins. An ask opens so. */
  sent(node: string, envelope: Envelope): void;
  /** An envelope has reached the node that it is for, and goes to an instance there or to the node itself. */
  delivered(node: string, envelope: Envelope): void;
  /** An envelope was given up. */
  dead(node: string, envelope: Envelope, reason: string): void;
  /** An ask is over: it was answered (`undefined`), or by this fault. */
  askEnded(node: string, ask: AskLook, fault: Fault | undefined): void;
  /** `stopped` when it has drained, or crashed. What it had in memory is gone then. */
  instanceStatus(address: string, status: InstanceStatus): void;
  instanceCrashed(address: string, reason: string, cause: CrashCause): void;
  /** The state in which an entity is now. */
  entityState(entity: EntityLook): void;
  /** Something rare was counted: see `runtime/counters.ts`. */
  counted(address: string, name: string): void;
}

/** What an instance, a node or the world outside holds at a moment: how many of each thing. */
export interface Census {
  /** An address, or `outside`. */
  readonly of: string;
  /** `timers`, `asks`, `entities.<machine>`, `legs` … */
  readonly counts: ReadonlyMap<string, number>;
}

/** `withDetails`: also what costs a look at much. */
export interface CensusOptions {
  readonly withDetails?: boolean;
}

/** An ask as an onlooker sees it: its envelope's id, who asks whom, and what. */
export interface AskLook {
  readonly id: string;
  readonly owner: string;
  readonly to: string;
  readonly type: string;
}

/** An entity in a state. */
export interface EntityLook {
  /** The address of its instance or node, or its endpoint outside. */
  readonly owner: string;
  /** The id of its machine. */
  readonly machine: string;
  readonly key: string;
  /** The names of nested states are joined by dots. `undefined`: it is gone. */
  readonly state: string | undefined;
  /** The state before: the same where it has only heard something, `undefined` where it has just begun. */
  readonly before?: string | undefined;
}
