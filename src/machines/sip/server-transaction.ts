/**
 * Server transactions (RFC 3261, section 17.2, with the `accepted` state of RFC 6026): a request that comes again gets the last
 * answer again, and a final answer to INVITE is sent again until its ACK comes. A 2xx is sent again by the transaction, not by
 * its owner. The machines have no context, so that they can be compiled to tables (`src/sip/transactions.ts`).
 */
import { type EventObject, emit, setup } from 'xstate';
import { resending, transactionDelaysMs } from './sip-timers.ts';

/** `abandon`: its owner never answers it any more; only a CANCEL still ends it. `settle`: the dialog of its 2xx is over, or known to be there. */
export type InviteServerEvent = {
  type:
    | 'request.repeated'
    | 'ack.received'
    | 'respond.provisional'
    | 'respond.success'
    | 'respond.failure'
    | 'cancel.received'
    | 'abandon'
    | 'settle';
};
export type ServerEvent = { type: 'request.repeated' | 'respond.provisional' | 'respond.final' };

/** `report.ack`: the ACK of a 2xx came. `report.ack.missed`: a 2xx was sent for 64 T1, and no ACK came. */
export type ServerCommand =
  | { type: 'send.response' | 'report.ack' | 'report.ack.missed' }
  | { type: 'event.unexpected'; event: string };

/** What the charts of server transactions share: their actions and delays. */
function chartOf<Event extends EventObject>() {
  return setup({
    types: { events: {} as Event, emitted: {} as ServerCommand },
    actions: {
      sendResponse: emit({ type: 'send.response' }),
      reportAck: emit({ type: 'report.ack' }),
      reportAckMissed: emit({ type: 'report.ack.missed' }),
      unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
    },
    delays: transactionDelaysMs,
  });
}

const ended = '#invite-server.terminated';
const again = { actions: 'sendResponse' } as const;

/** What is said again after the final answer, or by an owner that does not know that it was given. */
const answered = { abandon: {}, settle: {}, 'cancel.received': {} } as const;

/** INVITE. `isLossy`: messages can get lost on the way, so that its final answer is sent again. */
export function inviteServerMachine({ isLossy }: { readonly isLossy: boolean }) {
  const unanswered = {
    'respond.provisional': { target: '#invite-server.proceeding', actions: 'sendResponse' },
    'respond.success': { target: '#invite-server.accepted', actions: 'sendResponse' },
    'respond.failure': { target: '#invite-server.completed', actions: 'sendResponse' },
    'ack.received': {},
    // Its owner answers.
    'cancel.received': {},
    abandon: '#invite-server.abandoned',
    settle: {},
  } as const;
  const over = { ...answered, 'request.repeated': {}, 'ack.received': {} } as const;
  /** Timers G and H; over a way that loses nothing it only waits for repeated requests. */
  const unacknowledged = <const Over extends object>(end: Over) =>
    isLossy ? resending('bounded', 'sendResponse', end) : ({ after: { linger: ended } } as const);
  return chartOf<InviteServerEvent>().createMachine({
    id: 'invite-server',
    initial: 'trying',
    on: { '*': { actions: 'unexpected' } },
    states: {
      /** Nothing was answered yet. */
      trying: { on: { ...unanswered, 'request.repeated': {} } },
      proceeding: { on: { ...unanswered, 'request.repeated': again } },
      accepted: {
        ...unacknowledged({ target: ended, actions: 'reportAckMissed' }),
        on: {
          ...answered,
          'request.repeated': again,
          'ack.received': { target: '#invite-server.confirmed', actions: 'reportAck' },
          settle: '#invite-server.confirmed',
        },
      },
      completed: {
        ...unacknowledged({ target: ended }),
        on: { ...answered, 'request.repeated': again, 'ack.received': '#invite-server.confirmed' },
      },
      /** Absorbs what comes again. Timers I and L. */
      confirmed: { after: { linger: ended }, on: over },
      /** The caller that takes the INVITE back still waits for its final answer (RFC 3261, 9.2), and no owner will give it. */
      abandoned: {
        after: { linger: ended },
        on: { ...over, 'cancel.received': { target: '#invite-server.completed', actions: 'sendResponse' } },
      },
      terminated: { type: 'final' },
    },
  });
}

/** Any other request. A client has given it up (timer F) when it was not answered for `linger`. */
export const serverMachine = chartOf<ServerEvent>().createMachine({
  id: 'server',
  initial: 'trying',
  on: { '*': { actions: 'unexpected' } },
  states: {
    trying: {
      after: { linger: 'terminated' },
      on: {
        'request.repeated': {},
        'respond.provisional': { target: 'proceeding', actions: 'sendResponse' },
        'respond.final': { target: 'completed', actions: 'sendResponse' },
      },
    },
    proceeding: {
      after: { linger: 'terminated' },
      on: {
        'request.repeated': again,
        'respond.provisional': again,
        'respond.final': { target: 'completed', actions: 'sendResponse' },
      },
    },
    /** Timer J. Any other final answer is dropped (RFC 3261, 17.2.2). */
    completed: {
      after: { linger: 'terminated' },
      on: { 'request.repeated': again, 'respond.provisional': {}, 'respond.final': {} },
    },
    terminated: { type: 'final' },
  },
});
