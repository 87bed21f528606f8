/** The state of a run as it is stored and shown. Plain JSON. */
import { limits } from '../model/limits.ts';
import type { RunResult, ScriptRequester } from '../model/protocol/messages/script.ts';
import type { Component, ScriptKind } from '../model/script/component.ts';

/** A script of the run: the first one, or one that is nested in the frame before it. */
export interface Frame {
  readonly code: string;
  /** The next component, or the one that is executed. Absent: the script has ended. */
  position?: string | undefined;
  variables: Readonly<Record<string, unknown>>;
}

/** An effect under way. */
export interface OpenEffect {
  readonly key: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly isRepeatable: boolean;
}

/** A component that was executed. */
export interface Step {
  readonly at: number;
  readonly script: string;
  readonly component: string;
  readonly type: string;
  /** The branch that was taken, the line of a log, or the problem. */
  readonly note?: string | undefined;
}

export type RunStatus = 'running' | 'finished' | 'failed';

export interface RunRecord {
  readonly id: string;
  readonly kind: ScriptKind;
  readonly domain: string;
  readonly code: string;
  readonly requester: ScriptRequester;
  readonly params: readonly unknown[];
  readonly startedMs: number;
  /** When it ends at the latest (ms since the epoch). */
  readonly untilMs: number;
  /** The components of its scripts by code, as they were when the run came to them. */
  scripts: Readonly<Record<string, readonly Component[]>>;
  /** The innermost script last. */
  frames: Frame[];
  passed: number;
  effect?: OpenEffect | undefined;
  waitUntilMs?: number | undefined;
  steps: Step[];
  status: RunStatus;
  problem?: string | undefined;
  /** It failed because it is unknown whether its last effect happened, or because a nested script could not be read. */
  isIndefinite?: true | undefined;
  endedMs?: number | undefined;
}

/** Notes a step. The first steps of a long run are dropped. */
export function noteStep(record: RunRecord, step: Step): void {
  if (record.steps.length >= limits.scriptSteps) record.steps.shift();
  record.steps.push(step);
}

export function frameOf({ frames }: RunRecord): Frame {
  const frame = frames.at(-1);
  if (frame === undefined) throw new Error('a run has a script');
  return frame;
}

export function resultOf({ status, problem, isIndefinite, frames }: RunRecord): RunResult {
  if (status === 'running') throw new Error('the run goes on');
  const why = { ...(problem !== undefined && { problem }), ...(isIndefinite && { isIndefinite }) };
  return { status, variables: frames[0]?.variables ?? {}, ...why };
}
