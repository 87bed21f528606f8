/** A state of interacting machines, as the exploration keeps it. */
import type { Command, Moment } from '../player/moment.ts';
import { type MachinePlayer, stateOf } from '../player/player.ts';
import type { PartMessage, SystemCheck, View } from './system-check.ts';

/** A message in flight. */
export interface MessageInFlight extends PartMessage {
  readonly sentMs: number;
}

export interface SystemState {
  readonly nowMs: number;
  readonly moments: ReadonlyMap<string, Moment>;
  readonly messages: readonly MessageInFlight[];
  readonly losses: number;
  readonly duplicates: number;
  /** How often each event of the owners was sent. */
  readonly ownerEvents: readonly number[];
  readonly counts: ReadonlyMap<string, number>;
  readonly isMended: boolean;
  readonly commands: readonly Command[];
  readonly error?: string;
}

/** A deadline of a part. */
export interface Due {
  readonly part: string;
  readonly dueMs: number;
  readonly type: string;
}

/** The system that a state belongs to. */
export interface Parts {
  readonly check: SystemCheck;
  /** Names of the parts. */
  readonly names: ReadonlySet<string>;
  player(part: string): MachinePlayer;
  view(state: Pick<SystemState, 'nowMs' | 'moments' | 'counts' | 'messages'>): View;
  /** Throws if no state of a part handles an event, which would have no effect. */
  expectEvent(part: string, type: string): void;
}

/** Path of the state of a part; `none` before its begin. */
export function stateAt(moment: Moment | undefined): string {
  return moment === undefined ? 'none' : stateOf(moment);
}
