/**
 * The recordings of one call: one after the other, each with the parties that were heard. A recording lasts until it is stopped or
 * the call ends; then the keeper of the call's record, callstore, ends it.
 */
import { assign, emit, setup } from 'xstate';
import { limits } from '../../model/limits.ts';
import type { CallRecording, RecordingList } from '../../model/recording/recording.ts';

/** Whether side a and side b are heard by the other one. */
export type Heard = readonly [a: boolean, b: boolean];

export type RecordingEvent =
  /** A record rule covers the call, which connects. `keepMs`: how long its file is kept; absent: for good. */
  | { type: 'rule.matched'; atMs: number; heard: Heard; keepMs?: number }
  | { type: 'start.requested'; atMs: number; heard: Heard }
  | { type: 'stop.requested'; atMs: number }
  | { type: 'heard.changed'; atMs: number; heard: Heard }
  /** The call is forgotten. */
  | { type: 'call.gone' };

/** `publish.recordings`: the call's record has changed by them, and nothing else says so. */
export type RecordingCommand = { type: 'publish.recordings' } | { type: 'event.unexpected'; event: string };

export interface RecordingContext {
  readonly dialogid: string;
  readonly recordings: RecordingList;
}

type Given = { readonly context: RecordingContext; readonly event: RecordingEvent };

function started({ context: { dialogid, recordings }, event }: Given): Partial<RecordingContext> {
  if (!('heard' in event)) return {};
  const [a, b] = event.heard;
  const keep = 'keepMs' in event ? { keepMs: event.keepMs } : {};
  const first: CallRecording['heard'] = [[0, a, b]];
  const recording: CallRecording = { dialogid, n: recordings.length + 1, startts: event.atMs, heard: first, ...keep };
  return { recordings: [...recordings, recording] };
}

function changed({ context: { recordings }, event }: Given): Partial<RecordingContext> {
  const last = recordings.at(-1);
  if (last === undefined || !('atMs' in event)) return {};
  const next =
    'heard' in event
      ? {
          ...last,
          heard: [
            ...last.heard,
            [Math.max(0, event.atMs - last.startts), ...event.heard] as [number, boolean, boolean],
          ],
        }
      : { ...last, endts: event.atMs };
  return { recordings: [...recordings.slice(0, -1), next] };
}

export const recordingMachine = setup({
  types: {
    context: {} as RecordingContext,
    input: {} as { readonly dialogid: string },
    events: {} as RecordingEvent,
    emitted: {} as RecordingCommand,
  },
  actions: {
    start: assign(started),
    note: assign(changed),
    stop: assign(changed),
    publish: emit({ type: 'publish.recordings' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isFull: ({ context }) => context.recordings.length >= limits.recordings,
    /** The same is heard as before, or as many changes are noted as a call may have. */
    isNothingNew: ({ context: { recordings }, event }) => {
      const [, a, b] = recordings.at(-1)?.heard.at(-1) ?? [];
      const noted = recordings.reduce((sum, { heard }) => sum + heard.length, 0);
      const isSame = 'heard' in event && event.heard[0] === a && event.heard[1] === b;
      return isSame || noted >= limits.recordedChanges;
    },
  },
}).createMachine({
  id: 'recording',
  context: ({ input: { dialogid } }) => ({ dialogid, recordings: [] }),
  initial: 'off',
  on: { '*': { actions: 'unexpected' } },
  states: {
    off: {
      on: {
        'rule.matched': [{ guard: 'isFull' }, { target: 'on', actions: 'start' }],
        'start.requested': [{ guard: 'isFull' }, { target: 'on', actions: ['start', 'publish'] }],
        'stop.requested': {},
        'heard.changed': {},
        'call.gone': 'over',
      },
    },
    on: {
      on: {
        'rule.matched': {},
        'start.requested': {},
        'stop.requested': { target: 'off', actions: ['stop', 'publish'] },
        'heard.changed': [{ guard: 'isNothingNew' }, { actions: ['note', 'publish'] }],
        'call.gone': 'over',
      },
    },
    over: { type: 'final' },
  },
});
