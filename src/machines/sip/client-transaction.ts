/**
 * Client transactions (RFC 3261, section 17.1, with the `accepted` state of RFC 6026): a request is sent until it is answered,
 * and given up after 64 T1. INVITE waits as long as it takes once there is a provisional answer, and its final answer is
 * acknowledged each time it comes.
 *
 * The machines have no context, so that they can be compiled to tables; the user agent has the messages (`src/sip/transactions.ts`).
 * A transaction lingers after its end for the same time over every transport, because links can double messages too. (chosen)
 */
import { type EventObject, emit, setup } from 'xstate';
import { resending, transactionDelaysMs } from './sip-timers.ts';

/**
 * - `acknowledge`: the ACK of a 2xx.
 * - `abandon`: its owner is gone; only a call that stands after all is still ended.
 * - `give.up`: its owner does not wait for 64 T1.
 */
type FromOwner = 'send' | 'abandon' | 'give.up';

export type InviteClientEvent = {
  type: FromOwner | 'acknowledge' | 'provisional.received' | 'success.received' | 'failure.received';
};
export type ClientEvent = { type: FromOwner | 'provisional.received' | 'final.received' };

/**
 * - `make.ack`: of a final answer that is no 2xx.
 * - `end.call`: acknowledges a 2xx that has no owner, and ends its call.
 * - `report.timeout`: no answer came, which counts as 408.
 */
export type ClientCommand =
  | { type: 'send.request' | 'report.response' | 'report.timeout' | 'make.ack' | 'send.ack' | 'end.call' }
  | { type: 'event.unexpected'; event: string };

/** What the charts of client transactions share: their actions and delays. */
function chartOf<Event extends EventObject>() {
  return setup({
    types: { events: {} as Event, emitted: {} as ClientCommand },
    actions: {
      sendRequest: emit({ type: 'send.request' }),
      reportResponse: emit({ type: 'report.response' }),
      reportTimeout: emit({ type: 'report.timeout' }),
      makeAck: emit({ type: 'make.ack' }),
      sendAck: emit({ type: 'send.ack' }),
      endCall: emit({ type: 'end.call' }),
      unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
    },
    delays: transactionDelaysMs,
  });
}

const reported = { actions: 'reportResponse' } as const;

/**
 * INVITE. `isLossy`: messages can get lost on the way, so that they are sent again. `isWithin`: within a dialog, where a final
 * answer is due in time although a provisional one came. (chosen)
 */
export function inviteClientMachine({ isLossy, isWithin }: { readonly isLossy: boolean; readonly isWithin: boolean }) {
  const ended = '#invite-client.terminated';
  const timedOut = { target: ended, actions: 'reportTimeout' } as const;
  const waiting = {
    'success.received': { target: '#invite-client.accepted', actions: 'reportResponse' },
    'failure.received': { target: '#invite-client.completed', actions: ['makeAck', 'reportResponse'] },
    abandon: '#invite-client.abandoned',
    'give.up': timedOut,
  } as const;
  return chartOf<InviteClientEvent>().createMachine({
    id: 'invite-client',
    initial: 'ready',
    on: { '*': { actions: 'unexpected' } },
    states: {
      ready: { on: { send: { target: 'calling', actions: 'sendRequest' } } },
      /** Timers A and B. */
      calling: {
        ...resending(isLossy ? 'doubling' : 'none', 'sendRequest', timedOut),
        on: { ...waiting, 'provisional.received': { target: '#invite-client.proceeding', actions: 'reportResponse' } },
      },
      proceeding: {
        ...(isWithin && { after: { patience: timedOut } }),
        on: { ...waiting, 'provisional.received': reported },
      },
      /**
       * Refused. Timer D. An edge on the way may have refused a repetition of the INVITE that came through before: the other side answers that
       * one. Inside a dialog the other side ends it where no ACK comes, and the owner hears of that.
       */
      completed: {
        after: { linger: ended },
        on: {
          'failure.received': { actions: 'makeAck' },
          'provisional.received': {},
          'success.received': isWithin ? {} : { target: '#invite-client.acknowledged', actions: 'endCall' },
          abandon: {},
          'give.up': {},
        },
      },
      /** Its owner has the 2xx, and gives the ACK. Timer M. */
      accepted: {
        after: { linger: ended },
        on: {
          acknowledge: { target: '#invite-client.acknowledged', actions: 'sendAck' },
          'success.received': {},
          'provisional.received': {},
          'failure.received': {},
          abandon: {},
          'give.up': {},
        },
      },
      acknowledged: {
        after: { linger: ended },
        on: {
          acknowledge: {},
          'success.received': { actions: 'sendAck' },
          'provisional.received': {},
          'failure.received': {},
          abandon: {},
          'give.up': {},
        },
      },
      /** The other side does not know that the owner is gone: if it accepts the call, the call has to be ended (RFC 3261, 13.2.2.4). */
      abandoned: {
        after: { linger: ended },
        on: {
          'success.received': { target: '#invite-client.acknowledged', actions: 'endCall' },
          'failure.received': { target: '#invite-client.completed', actions: 'makeAck' },
          'provisional.received': {},
          abandon: {},
          'give.up': {},
        },
      },
      terminated: { type: 'final' },
    },
  });
}

/** Any other request. What comes after its final answer finds no transaction and is dropped, so that no timer K is needed. */
export function clientMachine({ isLossy }: { readonly isLossy: boolean }) {
  const ended = '#client.terminated';
  const timedOut = { target: ended, actions: 'reportTimeout' } as const;
  const waiting = {
    'final.received': { target: ended, actions: 'reportResponse' },
    abandon: ended,
    'give.up': timedOut,
  } as const;
  return chartOf<ClientEvent>().createMachine({
    id: 'client',
    initial: 'ready',
    on: { '*': { actions: 'unexpected' } },
    states: {
      ready: { on: { send: { target: 'trying', actions: 'sendRequest' } } },
      /** Timers E and F. */
      trying: {
        ...resending(isLossy ? 'bounded' : 'none', 'sendRequest', timedOut),
        on: { ...waiting, 'provisional.received': '#client.proceeding' },
      },
      /** Sent again every T2; its patience begins anew. (chosen) */
      proceeding: {
        ...resending(isLossy ? 'steady' : 'none', 'sendRequest', timedOut),
        on: { ...waiting, 'provisional.received': {} },
      },
      terminated: { type: 'final' },
    },
  });
}
