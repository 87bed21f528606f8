/**
 * The transfer of a call by REFER (RFC 3515), one at a time. A party refers the other one: its REFER is passed on, and the answer
 * back. Or a command refers one side or both (`directing`): once each has notified how that went, the first side whose
 * transfer succeeded leaves the call. NOTIFYs of a party's own transfer go to the other party.
 */
import { assertEvent, assign, emit, enqueueActions, setup } from 'xstate';
import { limits } from '../../model/limits.ts';
import type { Side } from '../../model/protocol/messages/dialog.ts';
import type { ReferredBy, ReferTo } from '../../model/sip/message.ts';

/** What a REFER says. */
export interface Refer {
  /** The number that a party has given it; none: a command refers. */
  readonly id?: number;
  readonly referTo: ReferTo;
  readonly referredBy: ReferredBy | undefined;
}

export type TransferEvent =
  /** A party refers the other one. */
  | { type: 'refer.received'; by: Side; refer: Refer }
  /** A command refers a side. */
  | { type: 'refer.requested'; side: Side; refer: Refer }
  /** The side has answered the REFER that it was sent. */
  | { type: 'refer.answered'; side: Side; status: number }
  /** A NOTIFY of the side says how its transfer goes, by the status in its sipfrag. `id`: of the other party's REFER, if it says which. */
  | { type: 'progress.notified'; side: Side; status: number; sipfrag: string | undefined; id?: number | undefined }
  | { type: 'call.gone' };

export type TransferCommand =
  | { type: 'pass.refer'; by: Side; refer: Refer }
  | { type: 'send.refer'; side: Side; refer: Refer }
  /** The answer to the REFER of a party. */
  | { type: 'accept.refer'; by: Side }
  | { type: 'refuse.refer'; by: Side; status: number }
  | { type: 'pass.progress'; from: Side; sipfrag: string | undefined; id?: number }
  /** The side has got where it was sent. */
  | { type: 'leave'; side: Side }
  | { type: 'event.unexpected'; event: string };

export interface TransferContext {
  /** The party whose REFER was passed on. */
  readonly by: Side;
  /** Sides that a command has referred, whose outcome is not known. */
  readonly open: readonly Side[];
  /** The outcome of one of two sides is known, that of the other one is open. */
  readonly isHalfKnown: boolean;
  /** The first of them whose transfer has succeeded. */
  readonly arrived: Side | undefined;
}

/** How long the outcome of a transfer by command is waited for: as long as a device may ring there, and a while. (chosen) */
export const transferDelaysMs = { outcome: limits.longestRingMs + 20_000 } as const;

const pending = 491;

type Given = { readonly context: TransferContext; readonly event: TransferEvent };

function sideIn(event: TransferEvent): Side {
  assertEvent(event, ['refer.received', 'refer.requested', 'refer.answered', 'progress.notified']);
  return 'side' in event ? event.side : event.by;
}
/** Not what is said of the REFER of a party that was passed on before. */
const isOpen = ({ context, event }: Given) =>
  context.open.includes(sideIn(event)) && !('id' in event && event.id !== undefined);
const isOnly = ({ context, event }: Given) => isOpen({ context, event }) && context.open.length === 1;
const isAccepted = ({ event }: Given) => 'status' in event && event.status < 300;
const isProvisional = ({ event }: Given) => 'status' in event && event.status < 200;

const chart = setup({
  types: { context: {} as TransferContext, events: {} as TransferEvent, emitted: {} as TransferCommand },
  actions: {
    passRefer: enqueueActions(({ event, enqueue }) => {
      if (event.type === 'refer.received') enqueue.emit({ type: 'pass.refer', by: event.by, refer: event.refer });
    }),
    keepReferrer: assign(({ context, event }) => ({ by: event.type === 'refer.received' ? event.by : context.by })),
    refuse: emit(({ event }) => ({ type: 'refuse.refer', by: sideIn(event), status: pending })),
    answer: emit(({ context: { by }, event }) =>
      event.type === 'refer.answered' && event.status >= 300
        ? { type: 'refuse.refer', by, status: event.status }
        : { type: 'accept.refer', by },
    ),
    sendRefer: enqueueActions(({ event, enqueue }) => {
      if (event.type === 'refer.requested') enqueue.emit({ type: 'send.refer', side: event.side, refer: event.refer });
    }),
    open: assign(({ context, event }) => ({ open: [...context.open, sideIn(event)] })),
    settle: assign(({ context, event }) => {
      const side = sideIn(event);
      const open = context.open.filter((each) => each !== side);
      const hasArrived = event.type === 'progress.notified' && event.status < 300;
      return { open, isHalfKnown: open.length > 0, arrived: context.arrived ?? (hasArrived ? side : undefined) };
    }),
    forget: assign({ open: [], isHalfKnown: false, arrived: undefined }),
    leave: enqueueActions(({ context: { arrived }, enqueue }) => {
      if (arrived !== undefined) enqueue.emit({ type: 'leave', side: arrived });
    }),
    passProgress: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'progress.notified') return;
      const { side: from, sipfrag, id } = event;
      enqueue.emit({ type: 'pass.progress', from, sipfrag, ...(id !== undefined && { id }) });
    }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isOpen,
    isAnswered: ({ context, event }) => sideIn(event) !== context.by,
    isGoing: (given) => isOpen(given) && isProvisional(given),
    isAccepted: (given) => isOpen(given) && isAccepted(given),
    /** No other outcome is open, and this side has succeeded, or the other one before. */
    isLastWithSuccess: (given) => isOnly(given) && (isAccepted(given) || given.context.arrived !== undefined),
    /** No other outcome is open, and the other side has succeeded before. */
    isLastAfterSuccess: ({ context, event }) => isOnly({ context, event }) && context.arrived !== undefined,
    isLast: isOnly,
    hasArrived: ({ context }) => context.arrived !== undefined,
    isHalfKnown: ({ context }) => context.isHalfKnown,
  },
  delays: transferDelaysMs,
});

const refused = { actions: 'refuse' } as const;
const passedOn = { actions: 'passProgress' } as const;

export const transferMachine = chart.createMachine({
  id: 'transfer',
  context: { by: 'a', open: [], isHalfKnown: false, arrived: undefined },
  initial: 'idle',
  on: { '*': { actions: 'unexpected' } },
  states: {
    idle: {
      on: {
        'refer.received': { target: 'passing', actions: ['keepReferrer', 'passRefer'] },
        'refer.requested': { target: 'directing', actions: ['open', 'sendRefer'] },
        'refer.answered': {},
        'progress.notified': passedOn,
        'call.gone': 'over',
      },
    },
    /** Until the other party answers, which the transaction of its REFER bounds. */
    passing: {
      on: {
        'refer.received': refused,
        'refer.requested': {},
        'refer.answered': [{ guard: 'isAnswered', target: 'idle', actions: 'answer' }, {}],
        'progress.notified': passedOn,
        'call.gone': 'over',
      },
    },
    directing: {
      after: {
        outcome: [
          { guard: 'hasArrived', target: 'leaving' },
          { target: 'idle', actions: 'forget' },
        ],
      },
      on: {
        'refer.received': refused,
        'refer.requested': [
          { guard: 'isOpen' },
          // A side that has arrived, or has failed to, is not sent elsewhere while the other one is on its way.
          { guard: 'isHalfKnown' },
          { target: 'directing', reenter: true, actions: ['open', 'sendRefer'] },
        ],
        'refer.answered': [
          { guard: 'isAccepted' },
          { guard: 'isLastAfterSuccess', target: 'leaving', actions: 'settle' },
          { guard: 'isLast', target: 'idle', actions: 'settle' },
          { guard: 'isOpen', actions: 'settle' },
          {},
        ],
        'progress.notified': [
          { guard: 'isGoing' },
          { guard: 'isLastWithSuccess', target: 'leaving', actions: 'settle' },
          { guard: 'isLast', target: 'idle', actions: 'settle' },
          { guard: 'isOpen', actions: 'settle' },
          passedOn,
        ],
        'call.gone': 'over',
      },
    },
    /** The call is to end. */
    leaving: {
      entry: 'leave',
      on: {
        'refer.received': refused,
        'refer.requested': {},
        'refer.answered': {},
        'progress.notified': passedOn,
        'call.gone': 'over',
      },
    },
    over: { type: 'final' },
  },
});
