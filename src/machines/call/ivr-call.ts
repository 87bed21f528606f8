/**
 * A call started by ivr: calls X, refers X to Y when X has answered, and hangs up when the outcome is known. The requester
 * gets one result, at the moment selected by the response mode (chosen).
 *
 * The progress of Y is reported by the b2b of the call from X to Y, and by X in NOTIFY. The response of one fork is not
 * final, because another fork may answer; the status that X reports is.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { limits } from '../../model/limits.ts';
import type { CallResult } from '../../model/protocol/messages/dialog.ts';

type Result = CallResult['result'];

export type IvrCallEvent =
  /** Events of the leg to X. */
  | { type: 'leg.rang' }
  | { type: 'leg.answered' }
  | { type: 'leg.failed'; status: number }
  | { type: 'leg.gone' }
  | { type: 'refer.answered'; status: number }
  /** A b2b has received the call of X to Y. */
  | { type: 'call.seen' }
  | { type: 'callee.responded'; status: number }
  /** The b2b is lost, and the call with it. */
  | { type: 'call.lost' }
  | { type: 'transfer.notified'; status: number }
  /** The requester's deadline is near. */
  | { type: 'answer.due' }
  | { type: 'end.requested' };

export type IvrCallCommand =
  | { type: 'refer.party' }
  /** The transfer has failed: returns X to the party that requested it. */
  | { type: 'return.party' }
  | { type: 'end.leg' }
  | { type: 'drop.leg' }
  | { type: 'report.result'; result: Result }
  | { type: 'event.unexpected'; event: string };

export interface IvrCallContext {
  readonly responseMode: number;
  /** Ringing time of X. */
  readonly timeoutMs: number;
  readonly canReturn: boolean;
  readonly hasRung: boolean;
  readonly isReported: boolean;
  /** Progress of the call of X to Y. */
  readonly progress: 'none' | 'seen' | 'refused';
}

/**
 * `transfer`: time for Y. `settle`: how much later than b2b X may report the outcome. `appear`: time for the call to appear
 * after X has hung up. `leave`: longer than the 32 s that CANCEL and BYE may take.
 */
export const ivrCallDelaysMs = {
  transfer: limits.longestRingMs + 20_000,
  settle: 5_000,
  appear: 5_000,
  leave: 40_000,
} as const;

/** The moments of a call, with the lowest response mode that waits for them. */
const moments = { started: 0, reached: 1, responded: 2, decided: 3 } as const;

function statusOf(event: IvrCallEvent): number {
  return 'status' in event ? event.status : 0;
}

/** The result when the leg to X has failed. */
function failureOf(status: number, hasRung: boolean): Result {
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 408) return hasRung ? 'timeout' : 'no_answer';
  return 'failed';
}

const chart = setup({
  types: {
    context: {} as IvrCallContext,
    input: {} as Pick<IvrCallContext, 'responseMode' | 'timeoutMs' | 'canReturn'>,
    events: {} as IvrCallEvent,
    emitted: {} as IvrCallCommand,
  },
  actions: {
    referParty: emit({ type: 'refer.party' }),
    returnParty: emit({ type: 'return.party' }),
    endLeg: emit({ type: 'end.leg' }),
    dropLeg: emit({ type: 'drop.leg' }),
    noteRinging: assign({ hasRung: true }),
    noteCall: assign({ progress: 'seen' }),
    noteRefusal: assign({ progress: 'refused' }),
    /** Reports success if this moment satisfies the response mode. */
    report: enqueueActions(({ context, enqueue }, { moment }: { moment: keyof typeof moments }) => {
      if (context.isReported || context.responseMode > moments[moment]) return;
      enqueue.emit({ type: 'report.result', result: 'ok' });
      enqueue.assign({ isReported: true });
    }),
    /** Reports the result in any case, because it is final. */
    conclude: enqueueActions(({ context, enqueue }, { result }: { result: Result }) => {
      if (context.isReported) return;
      enqueue.emit({ type: 'report.result', result });
      enqueue.assign({ isReported: true });
    }),
    concludeFailure: enqueueActions(({ context, event, enqueue }) => {
      if (context.isReported) return;
      enqueue.emit({ type: 'report.result', result: failureOf(statusOf(event), context.hasRung) });
      enqueue.assign({ isReported: true });
    }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    hasRung: ({ context }) => context.hasRung,
    isReported: ({ context }) => context.isReported,
    canReturn: ({ context }) => context.canReturn,
    isResponseEnough: ({ context }) => context.responseMode <= moments.responded,
    isKnownRefused: ({ context }) => context.progress === 'refused',
    /** 100 comes from the next hop and says nothing about Y. */
    isTrying: ({ event }) => statusOf(event) <= 100,
    isProvisional: ({ event }) => statusOf(event) < 200,
    isSuccess: ({ event }) => statusOf(event) >= 200 && statusOf(event) < 300,
    isFailure: ({ event }) => statusOf(event) >= 300,
    isFailureToReturn: ({ context, event }) => statusOf(event) >= 300 && context.canReturn,
  },
  delays: {
    ...ivrCallDelaysMs,
    ring: ({ context }) => context.timeoutMs,
    trail: ({ context }) => (context.progress === 'seen' ? ivrCallDelaysMs.transfer : ivrCallDelaysMs.appear),
  },
});

const reportReached = { type: 'report', params: { moment: 'reached' } } as const;
const reportResponded = { type: 'report', params: { moment: 'responded' } } as const;
const reportDecided = { type: 'report', params: { moment: 'decided' } } as const;
const silent = { type: 'conclude', params: { result: 'no_answer' } } as const;
const unclear = { type: 'conclude', params: { result: 'unknown' } } as const;

const withdrawn = { target: 'ending', actions: [silent, 'endLeg'] } as const;
const abandoned = { target: 'ending', actions: [unclear, 'endLeg'] } as const;
const finished = { target: 'ending', actions: [reportDecided, 'endLeg'] } as const;
const returned = { target: 'returning', actions: [reportDecided, 'returnParty'] } as const;
const recalled = { target: 'returning', actions: [unclear, 'returnParty'] } as const;
/** No more reports will come, neither about Y nor from X, which may ring for ever. */
const lost = [{ guard: 'canReturn', ...recalled }, abandoned] as const;
const left = { target: 'over', actions: reportDecided } as const;
/** X has reported the outcome of the transfer. */
const notified = [
  { guard: 'isTrying' },
  { guard: 'isProvisional', actions: reportResponded },
  { guard: 'isFailureToReturn', ...returned },
  finished,
] as const;
const answered = { guard: 'isSuccess', target: 'finishing', actions: reportDecided } as const;
/** X has hung up: its call to Y matters only while a requester waits. */
const hungUp = [{ guard: 'isReported', target: 'over' }, { target: 'trailing' }] as const;
const refused = { target: 'settling', reenter: true, actions: ['noteRefusal', reportResponded] } as const;

/** Events before a transfer is possible. */
const noTransfer = {
  'refer.answered': {},
  'call.seen': {},
  'callee.responded': {},
  'call.lost': {},
  'transfer.notified': {},
} as const;
/** X answers once. */
const noCalling = { 'leg.rang': {}, 'leg.answered': {} } as const;
const ending = { target: 'ending', actions: 'endLeg' } as const;

export const ivrCallMachine = chart.createMachine({
  id: 'ivr-call',
  context: ({ input }) => ({ ...input, hasRung: false, isReported: false, progress: 'none' }),
  initial: 'reaching',
  on: { '*': { actions: 'unexpected' } },
  states: {
    reaching: {
      entry: { type: 'report', params: { moment: 'started' } },
      after: {
        ring: [
          {
            guard: 'hasRung',
            target: 'ending',
            actions: [{ type: 'conclude', params: { result: 'timeout' } }, 'endLeg'],
          },
          withdrawn,
        ],
      },
      on: {
        ...noTransfer,
        'leg.rang': { actions: 'noteRinging' },
        'leg.answered': { target: 'following', actions: [reportReached, 'referParty'] },
        'leg.failed': { target: 'over', actions: 'concludeFailure' },
        'leg.gone': { target: 'over', actions: silent },
        'answer.due': [{ guard: 'isReported' }, withdrawn],
        'end.requested': withdrawn,
      },
    },
    following: {
      after: { transfer: abandoned },
      on: {
        ...noCalling,
        'leg.failed': hungUp,
        'leg.gone': hungUp,
        'refer.answered': [{ guard: 'isFailureToReturn', ...recalled }, { guard: 'isFailure', ...abandoned }, {}],
        'call.seen': { actions: 'noteCall' },
        'callee.responded': [{ guard: 'isProvisional', actions: ['noteCall', reportResponded] }, answered, refused],
        'call.lost': lost,
        'transfer.notified': notified,
        'answer.due': { actions: unclear },
        'end.requested': abandoned,
      },
    },
    /** b2b has reported that Y refused; X has not yet. */
    settling: {
      after: { settle: [{ guard: 'canReturn', ...returned }, finished] },
      on: {
        ...noCalling,
        'leg.failed': left,
        'leg.gone': left,
        'refer.answered': [{ guard: 'isFailureToReturn', ...returned }, { guard: 'isFailure', ...finished }, {}],
        'call.seen': {},
        'callee.responded': [{ guard: 'isProvisional', target: 'following', actions: 'noteCall' }, answered, refused],
        'call.lost': [{ guard: 'canReturn', ...returned }, finished],
        'transfer.notified': notified,
        'answer.due': { actions: reportDecided },
        'end.requested': finished,
      },
    },
    /** b2b has reported that Y answered; X has not yet. */
    finishing: {
      after: { settle: ending },
      on: {
        ...noCalling,
        'leg.failed': 'over',
        'leg.gone': 'over',
        'refer.answered': {},
        'call.seen': {},
        'callee.responded': {},
        'call.lost': {},
        'transfer.notified': [{ guard: 'isProvisional' }, ending],
        'answer.due': {},
        'end.requested': ending,
      },
    },
    /** X was referred back to the party that requested the transfer. */
    returning: {
      after: { transfer: ending },
      on: {
        ...noCalling,
        'leg.failed': 'over',
        'leg.gone': 'over',
        'refer.answered': [{ guard: 'isFailure', ...ending }, {}],
        'call.seen': {},
        'callee.responded': {},
        'call.lost': {},
        'transfer.notified': [{ guard: 'isProvisional' }, ending],
        'answer.due': {},
        'end.requested': ending,
      },
    },
    /** X has hung up, and may be calling Y. */
    trailing: {
      after: {
        trail: [
          { guard: 'isKnownRefused', ...left },
          { target: 'over', actions: unclear },
        ],
      },
      on: {
        ...noCalling,
        'leg.failed': {},
        'leg.gone': {},
        'refer.answered': {},
        'call.seen': { target: 'trailing', reenter: true, actions: 'noteCall' },
        'callee.responded': [
          { guard: 'isResponseEnough', target: 'over', actions: reportResponded },
          { guard: 'isProvisional', target: 'trailing', reenter: true, actions: 'noteCall' },
          { guard: 'isSuccess', ...left },
          { target: 'trailing', reenter: true, actions: 'noteRefusal' },
        ],
        'call.lost': [
          { guard: 'isKnownRefused', ...left },
          { target: 'over', actions: unclear },
        ],
        'transfer.notified': {},
        'answer.due': { target: 'over', actions: unclear },
        'end.requested': { target: 'over', actions: unclear },
      },
    },
    ending: {
      after: { leave: { target: 'over', actions: 'dropLeg' } },
      on: {
        ...noTransfer,
        ...noCalling,
        'leg.failed': 'over',
        'leg.gone': 'over',
        'answer.due': {},
        'end.requested': {},
      },
    },
    over: { type: 'final' },
  },
});
