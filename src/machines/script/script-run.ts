/**
 * A run of a script: one component after the other. What has an effect is stored before it and after it, so that another
 * instance can continue the run. Which component is next, and the variables, are with the owner of the machine: it decides
 * when to go on.
 */
import { assign, emit, setup } from 'xstate';

export type ScriptRunEvent =
  /** The component was executed without an effect. */
  | { type: 'component.passed' }
  /** The component has an effect. */
  | { type: 'effect.found'; isRepeatable: boolean }
  | { type: 'wait.found'; ms: number }
  /** No component is next, or one has failed. */
  | { type: 'script.ended' }
  /** What was to be stored is durable. */
  | { type: 'position.stored' }
  /** The effect has succeeded or failed, and its owner knows which component is next. */
  | { type: 'effect.ended' }
  | { type: 'end.requested' };

export type ScriptRunCommand =
  /** Executes the component at the position, or finds its effect. */
  | { type: 'execute.component' }
  | { type: 'store.position' }
  | { type: 'perform.effect' }
  /** Continues at the branch for an effect of unknown outcome. */
  | { type: 'take.indefinite' }
  /** The run ends, whatever it does. */
  | { type: 'fail.run'; reason: 'duration' | 'request' }
  | { type: 'store.result' }
  | { type: 'report.result' }
  | { type: 'event.unexpected'; event: string };

export interface ScriptRunContext {
  /** How long it may go on, and how long it pauses between two components, in milliseconds. */
  readonly durationMs: number;
  readonly pauseMs: number;
  readonly waitMs: number;
  readonly isRepeatable: boolean;
}

export interface ScriptRunInput {
  readonly durationMs: number;
  readonly pauseMs: number;
  /** Where a run that another instance has stored continues. Absent: a new run. */
  readonly from?: 'component' | 'effect';
  readonly isRepeatable?: boolean;
}

const chart = setup({
  types: {
    context: {} as ScriptRunContext & Pick<ScriptRunInput, 'from'>,
    input: {} as ScriptRunInput,
    events: {} as ScriptRunEvent,
    emitted: {} as ScriptRunCommand,
  },
  actions: {
    executeComponent: emit({ type: 'execute.component' }),
    storePosition: emit({ type: 'store.position' }),
    performEffect: emit({ type: 'perform.effect' }),
    takeIndefinite: emit({ type: 'take.indefinite' }),
    failDuration: emit({ type: 'fail.run', reason: 'duration' }),
    failRequest: emit({ type: 'fail.run', reason: 'request' }),
    storeResult: emit({ type: 'store.result' }),
    reportResult: emit({ type: 'report.result' }),
    noteEffect: assign(({ event }) => ({ isRepeatable: event.type === 'effect.found' && event.isRepeatable })),
    noteWait: assign(({ event }) => ({ waitMs: event.type === 'wait.found' ? event.ms : 0 })),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isNew: ({ context }) => context.from === undefined,
    isAtEffect: ({ context }) => context.from === 'effect',
    isRepeatableAtEffect: ({ context }) => context.from === 'effect' && context.isRepeatable,
  },
  delays: {
    duration: ({ context }) => context.durationMs,
    pause: ({ context }) => context.pauseMs,
    wait: ({ context }) => context.waitMs,
  },
});

/** What the end of an effect, of a component or of a write means where none is under way. */
const noComponent = { 'component.passed': {}, 'effect.found': {}, 'wait.found': {}, 'script.ended': {} } as const;
const noWrite = { 'position.stored': {} } as const;
const noEffect = { 'effect.ended': {} } as const;
const requested = { target: '#script-run.ending', actions: 'failRequest' } as const;

export const scriptRunMachine = chart.createMachine({
  id: 'script-run',
  context: ({ input: { durationMs, pauseMs, from, isRepeatable = false } }) => ({
    durationMs,
    pauseMs,
    waitMs: 0,
    isRepeatable,
    ...(from !== undefined && { from }),
  }),
  initial: 'running',
  on: { '*': { actions: 'unexpected' } },
  states: {
    running: {
      after: { duration: { target: 'ending', actions: 'failDuration' } },
      initial: 'entered',
      states: {
        entered: {
          always: [
            { guard: 'isNew', target: 'starting' },
            { guard: 'isRepeatableAtEffect', target: 'acting', actions: 'performEffect' },
            { guard: 'isAtEffect', target: 'acting', actions: 'takeIndefinite' },
            { target: 'pausing' },
          ],
        },
        starting: {
          entry: 'storePosition',
          on: { ...noComponent, ...noEffect, 'position.stored': 'executing', 'end.requested': requested },
        },
        /** Between two components. */
        pausing: {
          after: { pause: 'executing' },
          on: { ...noComponent, ...noEffect, ...noWrite, 'end.requested': requested },
        },
        executing: {
          entry: 'executeComponent',
          on: {
            ...noEffect,
            ...noWrite,
            'component.passed': 'pausing',
            'effect.found': { target: 'saving', actions: 'noteEffect' },
            'wait.found': { target: 'waiting', actions: 'noteWait' },
            'script.ended': '#script-run.ending',
            'end.requested': requested,
          },
        },
        saving: {
          entry: 'storePosition',
          on: {
            ...noComponent,
            ...noEffect,
            'position.stored': { target: 'acting', actions: 'performEffect' },
            'end.requested': requested,
          },
        },
        /** The effect is performed, or that of an instance that was lost is given up. */
        acting: {
          on: {
            ...noComponent,
            ...noWrite,
            'effect.ended': 'recording',
            'script.ended': '#script-run.ending',
            'end.requested': requested,
          },
        },
        recording: {
          entry: 'storePosition',
          on: {
            ...noComponent,
            ...noEffect,
            'position.stored': 'pausing',
            'end.requested': requested,
          },
        },
        waiting: {
          entry: 'storePosition',
          after: { wait: 'executing' },
          on: { ...noComponent, ...noEffect, ...noWrite, 'end.requested': requested },
        },
      },
    },
    ending: {
      entry: 'storeResult',
      on: { ...noComponent, ...noEffect, 'position.stored': 'over', 'end.requested': {} },
    },
    over: { type: 'final', entry: 'reportResult' },
  },
});
