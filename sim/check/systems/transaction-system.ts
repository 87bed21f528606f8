/**
 * A client transaction and the server transaction of its request (RFC 3261, section 17), over a transport that loses,
 * duplicates and reorders messages. Their owners answer and acknowledge at any time.
 */
import { clientMachine, inviteClientMachine } from '../../../src/machines/sip/client-transaction.ts';
import { inviteServerMachine, serverMachine } from '../../../src/machines/sip/server-transaction.ts';
import type { PartMessage, SystemCheck, View } from '../system/system-check.ts';

const request = { type: 'request.received' };
const channel = { losses: 3, duplicates: 1, inFlight: 3, latencyMs: 400 };
const bound = { depth: 16, states: 6_000, healedWithinMs: 40_000 };

const toServer = (type: string): PartMessage => ({ to: 'server', event: { type } });
const toClient = (type: string): PartMessage => ({ to: 'client', event: { type } });

/** A retransmitted request belongs to the existing transaction. */
function onArrival(message: PartMessage, view: View): readonly PartMessage[] {
  const isRepeated = message.event.type === request.type && !['none', 'terminated'].includes(view.state('server'));
  return [{ ...message, ...(isRepeated && { event: { type: 'request.repeated' } }), isReliable: true }];
}

/** The last answer of the server transaction, as the client receives it. */
function answerOf(view: View): string {
  const state = view.state('server');
  if (state.startsWith('accepted')) return 'success.received';
  return state.startsWith('completed') ? 'failure.received' : 'provisional.received';
}

const isUnanswered = (view: View) => ['trying', 'proceeding'].includes(view.state('server'));
const isWaiting = (view: View) => view.state('client').startsWith('calling') || view.state('client') === 'proceeding';

export const inviteSystem: SystemCheck = {
  name: 'invite-client+server',
  parts: {
    client: {
      machine: inviteClientMachine({ isLossy: true, isWithin: false }),
      ownerEvents: [{ event: { type: 'send' }, times: 1 }],
    },
    server: {
      machine: inviteServerMachine({ isLossy: true }),
      spawn: { on: request.type },
      ownerEvents: ['respond.success', 'respond.failure'].map((type) => ({
        event: { type },
        times: 1,
        when: isUnanswered,
      })),
    },
  },
  onCommand: ({ from, command: { type }, view }) => {
    if (type === 'send.request') return [toServer(request.type)];
    if (type === 'make.ack' || type === 'send.ack') return [toServer('ack.received')];
    if (type === 'send.response') return [toClient(answerOf(view))];
    // Its owner acknowledges a 2xx at once.
    const isAccepted = from === 'client' && type === 'report.response' && view.state('client') === 'accepted';
    return isAccepted ? [{ ...toClient('acknowledge'), isReliable: true }] : [];
  },
  onArrival,
  // A leg says 100 at once.
  onStateChange: ({ part, before }) =>
    part === 'server' && before === 'none' ? [{ ...toServer('respond.provisional'), isReliable: true }] : [],
  channel,
  rules: {
    'a 2xx whose ACK came was not missed': (view) =>
      view.count('server', 'report.ack') + view.count('server', 'report.ack.missed') <= 1,
    'a call is ended once at most': (view) => view.count('client', 'end.call') <= 1,
  },
  agree: (view) => {
    const [client, server] = [view.state('client'), view.state('server')];
    if (client === 'ready' || (isUnanswered(view) && isWaiting(view))) return true;
    const isOver = ['completed', 'acknowledged', 'none', 'terminated'].includes(client);
    return (
      (isOver && ['confirmed', 'none', 'terminated'].includes(server)) ||
      `the client is ${client}, the server ${server}`
    );
  },
  counted: ['server report.ack', 'server report.ack.missed', 'client end.call'],
  scenario: (move) => (move.startsWith('lost') ? [{ fault: { loseOutside: { probability: 0.5 } } }] : []),
  bound,
};

export const requestSystem: SystemCheck = {
  name: 'client+server',
  parts: {
    client: { machine: clientMachine({ isLossy: true }), ownerEvents: [{ event: { type: 'send' }, times: 1 }] },
    server: {
      machine: serverMachine,
      spawn: { on: request.type },
      ownerEvents: [{ event: { type: 'respond.final' }, times: 1, when: isUnanswered }],
    },
  },
  onCommand: ({ command: { type } }) => {
    if (type === 'send.request') return [toServer(request.type)];
    return type === 'send.response' ? [toClient('final.received')] : [];
  },
  onArrival,
  channel,
  rules: {
    'its owner gets one final answer': (view) =>
      view.count('client', 'report.response') + view.count('client', 'report.timeout') <= 1,
  },
  agree: (view) => {
    const [client, server] = [view.state('client'), view.state('server')];
    if (client === 'ready' || isUnanswered(view)) return true;
    return client === 'none' || client === 'terminated' || `the client is ${client}, the server ${server}`;
  },
  counted: ['client report.response', 'client report.timeout'],
  scenario: (move) => (move.startsWith('lost') ? [{ fault: { loseOutside: { probability: 0.5 } } }] : []),
  bound,
};
