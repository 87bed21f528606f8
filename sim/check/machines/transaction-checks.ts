/** Checks of the machines of SIP transactions (RFC 3261, section 17), over reliable and unreliable transports. */

import type { AnyStateMachine } from 'xstate';
import { clientMachine, inviteClientMachine } from '../../../src/machines/sip/client-transaction.ts';
import { inviteServerMachine, serverMachine } from '../../../src/machines/sip/server-transaction.ts';
import { sipTimings } from '../../../src/machines/sip/sip-timers.ts';
import { type AnyCheck, checkOf, type EventType, type Run } from '../machine/machine-check.ts';
import { restingStates } from '../player/chart.ts';

const first = 'a transaction begins when its request is sent';
const begun = 'its request is sent once, at the beginning';
const onlyIn = 'a 2xx is acknowledged only if one came';

type InviteClient = ReturnType<typeof inviteClientMachine>;
type Client = ReturnType<typeof clientMachine>;
type InviteServer = ReturnType<typeof inviteServerMachine>;

/** Events that a state and its substates leave undecided; each substate stands for one more retransmission. */
function undecidedIn<M extends AnyStateMachine>(
  machine: M,
  outer: Readonly<Record<string, { readonly events: readonly EventType<M>[] | '*'; readonly why: string }>>,
): typeof outer {
  const states = restingStates(machine).map(({ path }) => path);
  return Object.fromEntries(
    states.flatMap((path) => {
      const undecided = outer[path.split('.')[0] ?? path];
      return undecided === undefined ? [] : [[path, undecided]];
    }),
  );
}

/** The owner of a request gets at most one end. */
function finalsOf({ steps }: Run<InviteClient> | Run<Client>): number {
  const finals = steps.flatMap(({ event, commands }) => {
    const isFinal = event.type !== 'provisional.received';
    return commands.filter(({ type }) => type === 'report.timeout' || (isFinal && type === 'report.response'));
  });
  return finals.length;
}

const sendsIn = (run: Run<InviteClient> | Run<Client>) => run.count('send.request');

function inviteClientCheck(name: string, options: { readonly isLossy: boolean; readonly isWithin: boolean }): AnyCheck {
  const machine = inviteClientMachine(options);
  return checkOf({
    machine,
    name,
    events: {
      send: true,
      'provisional.received': true,
      'success.received': true,
      'failure.received': true,
      acknowledge: true,
      abandon: true,
      'give.up': true,
    },
    once: ['report.timeout', 'end.call'],
    longestMs: sipTimings.lingerMs,
    rules: {
      'its owner gets one final answer, or a timeout': (run) => finalsOf(run) <= 1,
      'an INVITE is sent seven times at most, and once over a reliable transport': (run) =>
        sendsIn(run) <= (options.isLossy ? 7 : 1),
      'each refusal gets one ACK': ({ steps, count }) =>
        count('make.ack') <= steps.filter(({ event: { type } }) => type === 'failure.received').length,
      'no ACK is sent before a final answer': ({ steps, commands }) =>
        steps.some(({ event: { type } }) => type === 'success.received' || type === 'failure.received') ||
        !commands.some(({ type }) => type === 'make.ack' || type === 'send.ack' || type === 'end.call'),
      'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
    },
    finally: { events: [{ type: 'abandon' }], waitMs: sipTimings.lingerMs, states: ['ready', 'terminated'] },
    undecided: undecidedIn(machine, {
      ready: { events: '*', why: first },
      calling: { events: ['send', 'acknowledge'], why: onlyIn },
      proceeding: { events: ['send', 'acknowledge'], why: onlyIn },
      completed: { events: ['send', 'acknowledge'], why: onlyIn },
      accepted: { events: ['send'], why: begun },
      acknowledged: { events: ['send'], why: begun },
      abandoned: { events: ['send', 'acknowledge'], why: onlyIn },
    }),
  });
}

function clientCheck(name: string, isLossy: boolean): AnyCheck {
  const machine = clientMachine({ isLossy });
  return checkOf({
    machine,
    name,
    events: { send: true, 'provisional.received': true, 'final.received': true, abandon: true, 'give.up': true },
    once: ['report.timeout', 'report.response'],
    longestMs: sipTimings.patienceMs,
    rules: {
      'its owner gets one final answer, or a timeout': (run) => finalsOf(run) <= 1,
      'a request is sent once over a reliable transport': (run) => isLossy || sendsIn(run) <= 1,
      'nothing is sent after the end': ({ last }) => !last.isOver || last.deadlines.length === 0,
      'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
    },
    finally: { events: [], waitMs: 2 * sipTimings.patienceMs, states: ['ready', 'terminated'] },
    undecided: undecidedIn(machine, {
      ready: { events: '*', why: first },
      trying: { events: ['send'], why: begun },
      proceeding: { events: ['send'], why: begun },
    }),
  });
}

const oneFinal = 'an INVITE is answered once, by the leg that it created';
const responses = ['respond.provisional', 'respond.success', 'respond.failure'] as const;

function inviteServerCheck(name: string, isLossy: boolean): AnyCheck {
  const machine = inviteServerMachine({ isLossy });
  return checkOf({
    machine,
    name,
    events: {
      'request.repeated': true,
      'ack.received': true,
      'respond.provisional': true,
      'respond.success': true,
      'respond.failure': true,
      'cancel.received': true,
      abandon: true,
      settle: true,
    },
    once: isLossy ? ['report.ack', 'report.ack.missed'] : ['report.ack'],
    longestMs: sipTimings.lingerMs,
    rules: {
      'the ACK of a 2xx came or was missed, not both': ({ count }: Run<InviteServer>) =>
        count('report.ack') + count('report.ack.missed') <= 1,
      'an ACK is reported only of a 2xx': ({ steps, count }: Run<InviteServer>) =>
        count('report.ack') + count('report.ack.missed') === 0 ||
        steps.some(({ event }) => event.type === 'respond.success'),
      'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
    },
    finally: { events: [{ type: 'abandon' }], waitMs: 2 * sipTimings.lingerMs, states: ['terminated'] },
    undecided: undecidedIn(machine, {
      accepted: { events: responses, why: oneFinal },
      completed: { events: responses, why: oneFinal },
      confirmed: { events: responses, why: oneFinal },
      abandoned: { events: responses, why: oneFinal },
    }),
  });
}

const serverCheck = checkOf({
  machine: serverMachine,
  events: { 'request.repeated': true, 'respond.provisional': true, 'respond.final': true },
  longestMs: sipTimings.lingerMs,
  rules: {
    'nothing is sent before the first answer': ({ steps, count }) =>
      count('send.response') === 0 || steps.some(({ event }) => event.type.startsWith('respond.')),
    'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
  },
  finally: { events: [], waitMs: sipTimings.lingerMs, states: ['terminated'] },
});

export const transactionChecks: readonly AnyCheck[] = [
  inviteClientCheck('invite-client', { isLossy: true, isWithin: false }),
  inviteClientCheck('reinvite-client', { isLossy: true, isWithin: true }),
  inviteClientCheck('invite-client-inside', { isLossy: false, isWithin: true }),
  clientCheck('client', true),
  clientCheck('client-inside', false),
  inviteServerCheck('invite-server', true),
  inviteServerCheck('invite-server-inside', false),
  serverCheck,
];
