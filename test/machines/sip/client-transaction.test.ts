/** Client transactions: every event in every state, and every retransmission at its time (RFC 3261, section 17.1). */

import {
  type ClientCommand,
  type ClientEvent,
  clientMachine,
  type InviteClientEvent,
  inviteClientMachine,
} from '../../../src/machines/sip/client-transaction.ts';
import { machineTable, type Row, unexpected } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

type CommandType = Exclude<ClientCommand['type'], 'event.unexpected'>;
type InviteClient = ReturnType<typeof inviteClientMachine>;
type Client = ReturnType<typeof clientMachine>;

const commands = (...types: CommandType[]): ClientCommand[] => types.map((type) => ({ type }));
const inviteEvents: Record<InviteClientEvent['type'], true> = {
  send: true,
  'provisional.received': true,
  'success.received': true,
  'failure.received': true,
  acknowledge: true,
  abandon: true,
  'give.up': true,
};
const events: Record<ClientEvent['type'], true> = {
  send: true,
  'provisional.received': true,
  'final.received': true,
  abandon: true,
  'give.up': true,
};

type Decision = readonly [next: string, ...commands: CommandType[]];

/** Rows of a state: what it decides, by event; of what it does not speak of it is unexpected. */
function rowsOf<E extends string>(
  state: string,
  all: Record<E, true>,
  decides: Partial<Record<E, Decision>>,
): (readonly [string, { type: E }, string, ClientCommand[]])[] {
  return (Object.keys(all) as E[]).map((type) => {
    const decision: Decision | undefined = decides[type];
    if (decision === undefined) return [state, { type }, state, [unexpected(type)]];
    const [next, ...types] = decision;
    return [state, { type }, next, commands(...types)];
  });
}

const waiting: Partial<Record<InviteClientEvent['type'], Decision>> = {
  'provisional.received': ['proceeding', 'report.response'],
  'success.received': ['accepted', 'report.response'],
  'failure.received': ['completed', 'make.ack', 'report.response'],
  abandon: ['abandoned'],
  'give.up': ['terminated', 'report.timeout'],
};
const ignoring = (state: string) => ({
  'provisional.received': [state] as Decision,
  'success.received': [state] as Decision,
  'failure.received': [state] as Decision,
  abandon: [state] as Decision,
  'give.up': [state] as Decision,
});

function inviteRows(sends: number, afterRefusal: Decision): Row<InviteClient>[] {
  const calling = Array.from({ length: sends }, (_, index) => `calling.${index}`);
  return [
    ...rowsOf('ready', inviteEvents, { send: ['calling.0', 'send.request'] }),
    ...calling.flatMap((state) => rowsOf(state, inviteEvents, waiting)),
    ...rowsOf('proceeding', inviteEvents, waiting),
    ...rowsOf('completed', inviteEvents, {
      ...ignoring('completed'),
      'failure.received': ['completed', 'make.ack'],
      'success.received': afterRefusal,
    }),
    ...rowsOf('accepted', inviteEvents, { ...ignoring('accepted'), acknowledge: ['acknowledged', 'send.ack'] }),
    ...rowsOf('acknowledged', inviteEvents, {
      ...ignoring('acknowledged'),
      'success.received': ['acknowledged', 'send.ack'],
      acknowledge: ['acknowledged'],
    }),
    ...rowsOf('abandoned', inviteEvents, {
      ...ignoring('abandoned'),
      'success.received': ['acknowledged', 'end.call'],
      'failure.received': ['completed', 'make.ack'],
    }),
  ];
}

const send = { type: 'send' } as const;
const rang = { type: 'provisional.received' } as const;
const success = { type: 'success.received' } as const;
const failure = { type: 'failure.received' } as const;
const acknowledge = { type: 'acknowledge' } as const;
const abandon = { type: 'abandon' } as const;
const ends = [
  [[send, success], 'accepted', 32_000, 'terminated', []],
  [[send, success, acknowledge], 'acknowledged', 32_000, 'terminated', []],
  [[send, failure, 5_000, failure], 'completed', 27_000, 'terminated', []],
  [[send, abandon], 'abandoned', 32_000, 'terminated', []],
] as const;

const doubling = [500, 1_000, 2_000, 4_000, 8_000, 16_000];
const bounded = [500, 1_000, 2_000, ...new Array<number>(7).fill(4_000)];

/** The deadlines of a chain of states in which a request is sent again. */
function chain(outer: string, path: readonly (ClientEvent | number)[], pauses: readonly number[], lastMs: number) {
  const before = (count: number) => [...path, ...pauses.slice(0, count)];
  return [
    ...pauses.map(
      (pause, index) =>
        [before(index), `${outer}.${index}`, pause, `${outer}.${index + 1}`, commands('send.request')] as const,
    ),
    [before(pauses.length), `${outer}.${pauses.length}`, lastMs, 'terminated', commands('report.timeout')] as const,
  ];
}

machineTable(test, 'an INVITE that can get lost', {
  machine: inviteClientMachine({ isLossy: true, isWithin: false }),
  events: inviteEvents,
  context: {},
  rows: inviteRows(7, ['acknowledged', 'end.call']),
  deadlines: [...(chain('calling', [send], doubling, 500) as never[]), ...ends],
});

machineTable(test, 'a re-INVITE inside the cluster', {
  machine: inviteClientMachine({ isLossy: false, isWithin: true }),
  events: inviteEvents,
  context: {},
  rows: inviteRows(1, ['completed']),
  deadlines: [
    [[send], 'calling.0', 32_000, 'terminated', commands('report.timeout')],
    [[send, rang], 'proceeding', 32_000, 'terminated', commands('report.timeout')],
    ...ends,
  ],
});

const trying: Partial<Record<ClientEvent['type'], Decision>> = {
  'provisional.received': ['proceeding.0'],
  'final.received': ['terminated', 'report.response'],
  abandon: ['terminated'],
  'give.up': ['terminated', 'report.timeout'],
};

function requestRows(tries: number, repeats: number): Row<Client>[] {
  const states = (outer: string, count: number) => Array.from({ length: count }, (_, index) => `${outer}.${index}`);
  return [
    ...rowsOf('ready', events, { send: ['trying.0', 'send.request'] }),
    ...states('trying', tries).flatMap((state) => rowsOf(state, events, trying)),
    ...states('proceeding', repeats).flatMap((state) =>
      rowsOf(state, events, { ...trying, 'provisional.received': [state] }),
    ),
  ];
}

machineTable(test, 'a request that can get lost', {
  machine: clientMachine({ isLossy: true }),
  events: events,
  context: {},
  rows: requestRows(11, 8),
  deadlines: [
    ...(chain('trying', [send], bounded, 500) as never[]),
    ...(chain('proceeding', [send, rang], new Array<number>(7).fill(4_000), 4_000) as never[]),
  ],
});

machineTable(test, 'a request inside the cluster', {
  machine: clientMachine({ isLossy: false }),
  events: events,
  context: {},
  rows: requestRows(1, 1),
  deadlines: [
    [[send], 'trying.0', 32_000, 'terminated', commands('report.timeout')],
    [[send, rang], 'proceeding.0', 32_000, 'terminated', commands('report.timeout')],
  ],
});

test('an INVITE without an answer is sent seven times and given up after 64 T1, any other request eleven times', (t) => {
  for (const [machine, sentMs] of [
    [inviteClientMachine({ isLossy: true, isWithin: false }), [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500]],
    [clientMachine({ isLossy: true }), [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]],
  ] as const) {
    const walked = walk(machine as Client, { input: undefined });
    walked.send(send);
    walked.pass(40_000);
    const at = (type: string) => walked.ordersMs.filter((_, index) => walked.commands[index]?.type === type);
    t.deepEqual(at('send.request'), [...sentMs]);
    t.deepEqual(at('report.timeout'), [32_000]);
  }
});
