/**
 * The pulls of one consumer from one source, as data: the replication machine decides, and its commands have the effects that
 * `replication/catch-up.ts` gives them. One pull runs at a time; another one that is commanded waits for its end.
 */
import type { StateOf } from '../../../src/actors/actor-logic.ts';
import type { replicationMachine } from '../../../src/machines/cluster/replication.ts';
import { replicationTable } from '../../../src/replication/catch-up.ts';
import type { DataMessage } from '../system/data-system.ts';

export interface Pulling {
  /** Path of the state of the replication machine. */
  state: StateOf<typeof replicationMachine>;
  /** The pull that runs, by the number of its ask; `isOver`: what it brings is not used. */
  running: { ask: number; isOver: boolean } | null;
  /** Which pull the machine waits for. */
  current: 'none' | 'running' | 'next' | 'next, over';
}

export interface PullEffects {
  /** Asks the source; returns the number of the ask. */
  readonly ask: () => number;
  readonly onCurrent?: () => void;
  readonly onLost?: () => void;
}

type PullEvent = Parameters<typeof replicationTable.step>[1];

export function startPulling(): Pulling {
  return { state: replicationTable.initial, running: null, current: 'none' };
}

export function isPulling({ state }: Pulling): boolean {
  return state.startsWith('pulling');
}

/** The source is in reach: another one than before, or another incarnation of it; or it is away. */
export function lookAtSource(pulling: Pulling, isThere: boolean, effects: PullEffects): void {
  if (pulling.current === 'running' && pulling.running !== null) pulling.running.isOver = true;
  if (pulling.current === 'next') pulling.current = 'next, over';
  take(pulling, { type: isThere ? 'source.found' : 'source.away' }, effects);
}

/** Something is missing, or the source has sent something. */
export function notice(pulling: Pulling, type: 'gap.noticed' | 'message.received', effects: PullEffects): void {
  take(pulling, { type }, effects);
}

/** Whether the answer to an ask is waited for. */
export function waitsFor({ running }: Pulling, ask: number): boolean {
  return running?.ask === ask;
}

/** The answer to the ask has come, and the pull goes on: a second one is dropped. */
export function noteAnswer({ running }: Pulling): void {
  if (running !== null) running.ask = 0;
}

/** The pull that runs has ended; false: without all that is missing, or what it brought was not used. */
export function endPull(pulling: Pulling, isComplete: boolean, effects: PullEffects): void {
  pulling.running = null;
  const { current } = pulling;
  if (current === 'none') return;
  if (current === 'next') return begin(pulling, effects);
  pulling.current = 'none';
  take(pulling, { type: isComplete && current === 'running' ? 'pull.completed' : 'pull.failed' }, effects);
}

/** Whether what the pull that runs brings is used. */
export function isUsed({ running }: Pulling): boolean {
  return running?.isOver === false;
}

/** Whether a deadline of the machine is set: `retry`, `check`, `gone`. */
export function hasDeadline({ state }: Pulling, name: string): boolean {
  return replicationTable.delays(state).some((delay) => delay.name === name);
}

export function passDeadline(pulling: Pulling, name: string, effects: PullEffects): void {
  for (const delay of replicationTable.delays(pulling.state))
    if (delay.name === name) return take(pulling, delay.event, effects);
}

function take(pulling: Pulling, event: PullEvent, effects: PullEffects): void {
  const { state, commands } = replicationTable.step(pulling.state, event);
  pulling.state = state;
  for (const { type } of commands) {
    if (type === 'pull' && pulling.running === null) begin(pulling, effects);
    else if (type === 'pull') pulling.current = 'next';
    else if (type === 'abort.pull') abort(pulling);
    else if (type === 'report.current') effects.onCurrent?.();
    else if (type === 'report.lost') effects.onLost?.();
    else throw new Error(`a consumer that is ${state} received ${event.type}`);
  }
}

function begin(pulling: Pulling, { ask }: PullEffects): void {
  pulling.current = 'running';
  pulling.running = { ask: ask(), isOver: false };
}

function abort(pulling: Pulling): void {
  if (pulling.current === 'running' && pulling.running !== null) pulling.running.isOver = true;
  pulling.current = 'none';
}

/** The least number that no ask of `from` to `to`, and no answer to one, has. */
export function freeNumber(messages: readonly DataMessage[], from: string, to: string): number {
  const between = messages.filter((message) =>
    [message.from, message.to].every((each) => each === from || each === to),
  );
  const used = new Set(between.map((message) => ('ask' in message ? message.ask : undefined)));
  for (let number = 1; ; number += 1) if (!used.has(number)) return number;
}
