/**
 * A call that ivr starts: it calls X, refers X to Y when X has answered, and leaves when it is known what came of that. Whoever
 * asked for the call hears of it once, at the moment that the response mode says (choices, section 4).
 *
 * How Y fares it hears from two sides: from the b2b that has the call of X to Y, and by NOTIFY from X. What one fork answered
 * is not final, for another one may still answer; what X says is.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { limits } from '../model/limits.ts';
import type { CallResult } from '../model/protocol/dialog.ts';

type Result = CallResult['result'];

export type IvrCallEvent =
  /** The leg to X. */
  | { type: 'leg.rang' }
  | { type: 'leg.answered' }
  | { type: 'leg.failed'; status: number }
  | { type: 'leg.gone' }
  | { type: 'refer.answered'; status: number }
  /** The call of X to Y has come to a b2b. */
  | { type: 'call.seen' }
  | { type: 'callee.responded'; status: number }
  /** The b2b that had it is gone, and the call with it. */
  | { type: 'call.lost' }
  | { type: 'transfer.notified'; status: number }
  /** Whoever asked waits no longer. */
  | { type: 'answer.due' }
  | { type: 'end.requested' };

export type IvrCallCommand =
  | { type: 'refer.party' }
  /** The transfer has failed: back to whoever wanted it. */
  | { type: 'return.party' }
  | { type: 'end.leg' }
  | { type: 'drop.leg' }
  | { type: 'tell.result'; result: Result }
  | { type: 'event.unexpected'; event: string };

export interface IvrCallContext {
  readonly responseMode: number;
  /** How long X may ring. */
  readonly timeoutMs: number;
  readonly canReturn: boolean;
  readonly hasRung: boolean;
  readonly isTold: boolean;
  /** What is known of the call of X to Y. */
  readonly progress: 'none' | 'seen' | 'refused';
}

/**
 * `transfer`: how long Y may take. `settle`: how much later than b2b X may tell how it ended. `appear`: how long the call may
 * take to come when X has hung up. `leave`: with room for CANCEL and BYE, which wait 32 s for their answers.
 */
export const ivrCallDelaysMs = {
  transfer: limits.ringMs + 20_000,
  settle: 5_000,
  appear: 5_000,
  leave: 40_000,
} as const;

/** What is known at last, from which response mode on it is enough. */
const moments = { started: 0, reached: 1, responded: 2, decided: 3 } as const;

function statusOf(event: IvrCallEvent): number {
  return 'status' in event ? event.status : 0;
}

/** What it means for X that its leg has failed. */
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
    /** Tells that it goes well, to those whom this is enough. */
    tell: enqueueActions(({ context, enqueue }, { moment }: { moment: keyof typeof moments }) => {
      if (context.isTold || context.responseMode > moments[moment]) return;
      enqueue.emit({ type: 'tell.result', result: 'ok' });
      enqueue.assign({ isTold: true });
    }),
    /** Tells the result in any case, for nothing better will come. */
    conclude: enqueueActions(({ context, enqueue }, { result }: { result: Result }) => {
      if (context.isTold) return;
      enqueue.emit({ type: 'tell.result', result });
      enqueue.assign({ isTold: true });
    }),
    concludeFailure: enqueueActions(({ context, event, enqueue }) => {
      if (context.isTold) return;
      enqueue.emit({ type: 'tell.result', result: failureOf(statusOf(event), context.hasRung) });
      enqueue.assign({ isTold: true });
    }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    hasRung: ({ context }) => context.hasRung,
    isTold: ({ context }) => context.isTold,
    canReturn: ({ context }) => context.canReturn,
    isResponseEnough: ({ context }) => context.responseMode <= moments.responded,
    isKnownRefused: ({ context }) => context.progress === 'refused',
    /** 100 says that somebody on the way has taken the request, and nothing of Y. */
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

const tellReached = { type: 'tell', params: { moment: 'reached' } } as const;
const tellResponded = { type: 'tell', params: { moment: 'responded' } } as const;
const tellDecided = { type: 'tell', params: { moment: 'decided' } } as const;
const silent = { type: 'conclude', params: { result: 'no_answer' } } as const;
const unclear = { type: 'conclude', params: { result: 'unknown' } } as const;

const withdrawn = { target: 'ending', actions: [silent, 'endLeg'] } as const;
const abandoned = { target: 'ending', actions: [unclear, 'endLeg'] } as const;
const finished = { target: 'ending', actions: [tellDecided, 'endLeg'] } as const;
const returned = { target: 'returning', actions: [tellDecided, 'returnParty'] } as const;
/** Of X to Y nothing will be heard any more, of X neither: it rings into the void. */
const lost = [{ guard: 'canReturn', target: 'returning', actions: [unclear, 'returnParty'] }, abandoned] as const;
const left = { target: 'over', actions: tellDecided } as const;
/** X has said how the transfer ended. */
const notified = [
  { guard: 'isTrying' },
  { guard: 'isProvisional', actions: tellResponded },
  { guard: 'isFailureToReturn', ...returned },
  finished,
] as const;
const answered = { guard: 'isSuccess', target: 'finishing', actions: tellDecided } as const;
/** X has hung up: its call to Y is followed only for those who wait for it. */
const hungUp = [{ guard: 'isTold', target: 'over' }, { target: 'trailing' }] as const;
const refused = { target: 'settling', reenter: true, actions: ['noteRefusal', tellResponded] } as const;

/** What comes before there can be a transfer. */
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
  context: ({ input }) => ({ ...input, hasRung: false, isTold: false, progress: 'none' }),
  initial: 'reaching',
  on: { '*': { actions: 'unexpected' } },
  states: {
    reaching: {
      entry: { type: 'tell', params: { moment: 'started' } },
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
        'leg.answered': { target: 'following', actions: [tellReached, 'referParty'] },
        'leg.failed': { target: 'over', actions: 'concludeFailure' },
        'leg.gone': { target: 'over', actions: silent },
        'answer.due': [{ guard: 'isTold' }, withdrawn],
        'end.requested': withdrawn,
      },
    },
    following: {
      after: { transfer: abandoned },
      on: {
        ...noCalling,
        'leg.failed': hungUp,
        'leg.gone': hungUp,
        'refer.answered': [{ guard: 'isFailure', ...abandoned }, {}],
        'call.seen': { actions: 'noteCall' },
        'callee.responded': [{ guard: 'isProvisional', actions: ['noteCall', tellResponded] }, answered, refused],
        'call.lost': lost,
        'transfer.notified': notified,
        'answer.due': { actions: unclear },
        'end.requested': abandoned,
      },
    },
    /** Y has refused, as b2b says; X has not said it yet. */
    settling: {
      after: { settle: [{ guard: 'canReturn', ...returned }, finished] },
      on: {
        ...noCalling,
        'leg.failed': left,
        'leg.gone': left,
        'refer.answered': [{ guard: 'isFailure', ...finished }, {}],
        'call.seen': {},
        'callee.responded': [{ guard: 'isProvisional', target: 'following', actions: 'noteCall' }, answered, refused],
        'call.lost': [{ guard: 'canReturn', ...returned }, finished],
        'transfer.notified': notified,
        'answer.due': { actions: tellDecided },
        'end.requested': finished,
      },
    },
    /** Y has answered, as b2b says; X has not said it yet. */
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
    /** X was referred back to whoever wanted the transfer. */
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
    /** X has left the call, and may be on its way to Y. */
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
          { guard: 'isResponseEnough', target: 'over', actions: tellResponded },
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
