/**
 * The call of an IVR script, from the INVITE to its end: the script answers, plays files, collects digits, records, calls another
 * number, transfers and hangs up. Each component gets one report, when it is done. Digits that are pressed early wait for the
 * component that collects them.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { limits } from '../../model/limits.ts';

export type ScriptCallEvent =
  /** Requests of components. */
  | { type: 'answer.requested' }
  | { type: 'play.requested'; ms: number; isInterruptible: boolean }
  /** Collects digits up to `count`, or up to the digit `end`; empty: there is no such digit. */
  | { type: 'digits.requested'; count: number; end: string; ms: number }
  /** Records the party until `ms` are over, or until it presses the digit `end`; empty: there is no such digit. */
  | { type: 'record.requested'; ms: number; end: string }
  /** Calls another number, which may ring for `ms`. */
  | { type: 'call.requested'; ms: number }
  | { type: 'refer.requested' }
  | { type: 'hangup.requested' }
  | { type: 'script.ended' }
  /** Reports of the leg. */
  | { type: 'leg.answered' }
  | { type: 'leg.gone' }
  | { type: 'digit.pressed'; digit: string }
  /** The REFER was refused, or its last NOTIFY has come: the status of the call to the target. */
  | { type: 'refer.ended'; status: number }
  /** Reports of the call to another number. `status`: how it was refused. */
  | { type: 'target.answered' }
  | { type: 'target.failed'; status: number }
  /** The instance stops. */
  | { type: 'end.requested' };

export type ScriptCallCommand =
  | { type: 'answer.leg' }
  | { type: 'refer.party' }
  | { type: 'call.target' }
  /** Ends the call to another number, whatever its state is. */
  | { type: 'end.target' }
  | { type: 'stop.playing' }
  | { type: 'end.leg' }
  | { type: 'drop.leg' }
  /** The call is over: the script ends. */
  | { type: 'end.script' }
  /** The component is done. `digits`: collected. `status`: SIP status of a failed transfer or call; 0: the call is not in a state for it. */
  | { type: 'report.component'; branch: 'next' | 'failed' | 'timeout'; digits?: string; status?: number }
  | { type: 'event.unexpected'; event: string };

export interface ScriptCallContext {
  /** Pressed, and not collected. */
  readonly digits: string;
  readonly count: number;
  readonly end: string;
  readonly waitMs: number;
  readonly isInterruptible: boolean;
}

/** `refer`: limit of a transfer (public). `leave`: longer than the 32 s that the ACK and BYE may take. */
export const scriptCallDelaysMs = { refer: 60_000, leave: 40_000 } as const;

/** What the pressed digits give to a component that collects, and what they leave; undefined: more are needed. */
function collected({ digits, count, end }: Pick<ScriptCallContext, 'digits' | 'count' | 'end'>) {
  const at = end === '' ? -1 : digits.indexOf(end);
  if (at >= 0 && at <= count) return { taken: digits.slice(0, at), left: digits.slice(at + 1) };
  return digits.length < count ? undefined : { taken: digits.slice(0, count), left: digits.slice(count) };
}

/** The context after an event: with the digit that it brings, and the wishes that it has. */
function after(context: ScriptCallContext, event: ScriptCallEvent): ScriptCallContext {
  if (event.type === 'digit.pressed')
    return { ...context, digits: (context.digits + event.digit).slice(-limits.dtmfDigits) };
  if (event.type === 'digits.requested') return { ...context, count: event.count, end: event.end, waitMs: event.ms };
  return context;
}

const refused = { actions: 'reportRefused' } as const;
const gone = { target: 'over', actions: 'endScript' } as const;
const lost = { target: 'over', actions: ['dropLeg', 'endScript'] } as const;
const stopping = { target: 'ending', actions: ['endLeg', 'endScript'] } as const;
const leaving = { target: 'ending', actions: 'endLeg' } as const;
const hangingUp = { target: 'ending', actions: ['endLeg', 'reportNext'] } as const;
const noComponents = {
  'play.requested': refused,
  'digits.requested': refused,
  'record.requested': refused,
  'call.requested': refused,
  'refer.requested': refused,
} as const;
const kept = {
  'digit.pressed': { actions: 'keepDigit' },
  'refer.ended': {},
  'target.answered': {},
  'target.failed': {},
} as const;
/** While a component is executed no other one can be requested. */
const common = { ...kept, 'leg.gone': gone, 'end.requested': stopping, 'script.ended': leaving } as const;

export const scriptCallMachine = setup({
  types: {
    context: {} as ScriptCallContext,
    events: {} as ScriptCallEvent,
    emitted: {} as ScriptCallCommand,
  },
  actions: {
    answerLeg: emit({ type: 'answer.leg' }),
    referParty: emit({ type: 'refer.party' }),
    callTarget: emit({ type: 'call.target' }),
    endTarget: emit({ type: 'end.target' }),
    stopPlaying: emit({ type: 'stop.playing' }),
    endLeg: emit({ type: 'end.leg' }),
    dropLeg: emit({ type: 'drop.leg' }),
    endScript: emit({ type: 'end.script' }),
    reportNext: emit({ type: 'report.component', branch: 'next' }),
    reportRefused: emit({ type: 'report.component', branch: 'failed', status: 0 }),
    reportTimeout: emit({ type: 'report.component', branch: 'timeout' }),
    reportFailed: emit(({ event }) => ({
      type: 'report.component',
      branch: 'failed',
      status: 'status' in event ? event.status : 0,
    })),
    keepDigit: assign(({ context, event }) => after(context, event)),
    keepPlay: assign(({ event }) =>
      event.type === 'play.requested' ? { waitMs: event.ms, isInterruptible: event.isInterruptible } : {},
    ),
    takeDigits: enqueueActions(({ context, event, enqueue }) => {
      const now = after(context, event);
      const { taken, left } = collected(now) ?? { taken: now.digits, left: '' };
      enqueue.assign({ ...now, digits: left });
      enqueue.emit({ type: 'report.component', branch: 'next', digits: taken });
    }),
    keepRecord: assign(({ event }) => (event.type === 'record.requested' ? { waitMs: event.ms, end: event.end } : {})),
    keepCall: assign(({ event }) => (event.type === 'call.requested' ? { waitMs: event.ms } : {})),
    reportDigit: emit(({ event }) => ({
      type: 'report.component',
      branch: 'next',
      digits: event.type === 'digit.pressed' ? event.digit : '',
    })),
    giveUpDigits: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ digits: '' });
      enqueue.emit({ type: 'report.component', branch: 'timeout', digits: context.digits });
    }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isComplete: ({ context, event }) => collected(after(context, event)) !== undefined,
    isInterrupted: ({ context }) => context.isInterruptible,
    isEnd: ({ context, event }) => event.type === 'digit.pressed' && event.digit === context.end,
    isTransferred: ({ event }) => event.type === 'refer.ended' && event.status < 300,
  },
  delays: {
    ...scriptCallDelaysMs,
    wait: ({ context }) => context.waitMs,
  },
}).createMachine({
  id: 'script-call',
  context: { digits: '', count: 0, end: '', waitMs: 0, isInterruptible: false },
  initial: 'incoming',
  on: { '*': { actions: 'unexpected' } },
  states: {
    incoming: {
      on: {
        ...common,
        ...noComponents,
        'answer.requested': { target: 'answering', actions: 'answerLeg' },
        'hangup.requested': hangingUp,
      },
    },
    answering: {
      after: { leave: lost },
      on: { ...common, 'leg.answered': { target: 'talking', actions: 'reportNext' } },
    },
    talking: {
      on: {
        ...common,
        'answer.requested': { actions: 'reportNext' },
        'play.requested': { target: 'playing', actions: 'keepPlay' },
        'digits.requested': [
          { guard: 'isComplete', actions: ['stopPlaying', 'takeDigits'] },
          { target: 'collecting', actions: 'keepDigit' },
        ],
        'record.requested': { target: 'recording', actions: 'keepRecord' },
        'call.requested': { target: 'consulting', actions: ['keepCall', 'callTarget'] },
        'refer.requested': { target: 'referring', actions: 'referParty' },
        'hangup.requested': hangingUp,
      },
    },
    playing: {
      after: { wait: { target: 'talking', actions: ['stopPlaying', 'reportNext'] } },
      on: {
        ...common,
        'digit.pressed': [
          { guard: 'isInterrupted', target: 'talking', actions: ['keepDigit', 'stopPlaying', 'reportNext'] },
          { actions: 'keepDigit' },
        ],
      },
    },
    collecting: {
      after: { wait: { target: 'talking', actions: ['stopPlaying', 'giveUpDigits'] } },
      on: {
        ...common,
        'digit.pressed': [
          { guard: 'isComplete', target: 'talking', actions: ['stopPlaying', 'takeDigits'] },
          { actions: 'keepDigit' },
        ],
      },
    },
    recording: {
      after: { wait: { target: 'talking', actions: 'reportNext' } },
      on: {
        ...common,
        'digit.pressed': [{ guard: 'isEnd', target: 'talking', actions: 'reportDigit' }, { actions: 'keepDigit' }],
      },
    },
    /** The party waits while another number is called. */
    consulting: {
      after: { wait: { target: 'talking', actions: ['endTarget', 'reportTimeout'] } },
      on: {
        ...common,
        'target.answered': { target: 'talking', actions: 'reportNext' },
        'target.failed': { target: 'talking', actions: 'reportFailed' },
      },
    },
    referring: {
      after: { refer: { target: 'talking', actions: 'reportTimeout' } },
      on: {
        ...common,
        'refer.ended': [
          { guard: 'isTransferred', target: 'talking', actions: 'reportNext' },
          { target: 'talking', actions: 'reportFailed' },
        ],
      },
    },
    /** The script may continue after it has hung up. */
    ending: {
      after: { leave: { target: 'over', actions: 'dropLeg' } },
      on: {
        ...noComponents,
        'answer.requested': refused,
        'hangup.requested': { actions: 'reportNext' },
        'leg.answered': {},
        'leg.gone': 'over',
        'digit.pressed': {},
        'refer.ended': {},
        'target.answered': {},
        'target.failed': {},
        'script.ended': {},
        'end.requested': { actions: 'endScript' },
      },
    },
    over: { type: 'final' },
  },
});
