/** Server transactions: every event in every state, and every retransmission at its time (RFC 3261, section 17.2). */

import {
  type InviteServerEvent,
  inviteServerMachine,
  type ServerCommand,
  type ServerEvent,
  serverMachine,
} from '../../../src/machines/sip/server-transaction.ts';
import { machineTable, type Row, unexpected } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

type CommandType = Exclude<ServerCommand['type'], 'event.unexpected'>;
type InviteServer = ReturnType<typeof inviteServerMachine>;
type Decision = readonly [next: string, ...commands: CommandType[]];

const events: Record<InviteServerEvent['type'], true> = {
  'request.repeated': true,
  'ack.received': true,
  'respond.provisional': true,
  'respond.success': true,
  'respond.failure': true,
  'cancel.received': true,
  abandon: true,
  settle: true,
};

const commands = (...types: CommandType[]): ServerCommand[] => types.map((type) => ({ type }));

function rowsOf(state: string, decides: Partial<Record<InviteServerEvent['type'], Decision>>): Row<InviteServer>[] {
  return (Object.keys(events) as InviteServerEvent['type'][]).map((type) => {
    const [next, ...types] = decides[type] ?? [state];
    return [state, { type }, next, decides[type] === undefined ? [unexpected(type)] : commands(...types)];
  });
}

const unanswered = (state: string) => ({
  'respond.provisional': ['proceeding', 'send.response'] as Decision,
  'respond.success': ['accepted', 'send.response'] as Decision,
  'respond.failure': ['completed', 'send.response'] as Decision,
  'ack.received': [state] as Decision,
  'cancel.received': [state] as Decision,
  abandon: ['abandoned'] as Decision,
  settle: [state] as Decision,
});
const over = (state: string) => ({
  'request.repeated': [state] as Decision,
  'ack.received': [state] as Decision,
  'cancel.received': [state] as Decision,
  abandon: [state] as Decision,
  settle: [state] as Decision,
});

function rows(sends: number): Row<InviteServer>[] {
  const chain = (outer: string) =>
    sends === 1 ? [outer] : Array.from({ length: sends }, (_, index) => `${outer}.${index}`);
  const first = (outer: string) => chain(outer)[0] as string;
  const starting = (state: string) => {
    const decides = unanswered(state);
    return {
      ...decides,
      'respond.success': [first('accepted'), 'send.response'] as Decision,
      'respond.failure': [first('completed'), 'send.response'] as Decision,
    };
  };
  return [
    ...rowsOf('trying', { ...starting('trying'), 'request.repeated': ['trying'] }),
    ...rowsOf('proceeding', { ...starting('proceeding'), 'request.repeated': ['proceeding', 'send.response'] }),
    ...chain('accepted').flatMap((state) =>
      rowsOf(state, {
        ...over(state),
        'request.repeated': [state, 'send.response'],
        'ack.received': ['confirmed', 'report.ack'],
        settle: ['confirmed'],
      }),
    ),
    ...chain('completed').flatMap((state) =>
      rowsOf(state, { ...over(state), 'request.repeated': [state, 'send.response'], 'ack.received': ['confirmed'] }),
    ),
    ...rowsOf('confirmed', over('confirmed')),
    ...rowsOf('abandoned', { ...over('abandoned'), 'cancel.received': [first('completed'), 'send.response'] }),
  ];
}

const success = { type: 'respond.success' } as const;
const failure = { type: 'respond.failure' } as const;
const ack = { type: 'ack.received' } as const;
const abandon = { type: 'abandon' } as const;
const pauses = [500, 1_000, 2_000, ...new Array<number>(7).fill(4_000)];

function chain(outer: string, first: InviteServerEvent, ...end: CommandType[]) {
  const before = (count: number) => [first, ...pauses.slice(0, count)];
  return [
    ...pauses.map(
      (pause, index) =>
        [before(index), `${outer}.${index}`, pause, `${outer}.${index + 1}`, commands('send.response')] as const,
    ),
    [before(pauses.length), `${outer}.${pauses.length}`, 500, 'terminated', commands(...end)] as const,
  ];
}

const ends = [
  [[success, ack], 'confirmed', 32_000, 'terminated', []],
  [[abandon], 'abandoned', 32_000, 'terminated', []],
] as const;

machineTable(test, 'an INVITE that came over a way that loses messages', {
  machine: inviteServerMachine({ isLossy: true }),
  events: events,
  context: {},
  rows: rows(11),
  deadlines: [
    ...(chain('accepted', success, 'report.ack.missed') as never[]),
    ...(chain('completed', failure) as never[]),
    ...ends,
  ],
});

machineTable(test, 'an INVITE that came inside the cluster', {
  machine: inviteServerMachine({ isLossy: false }),
  events: events,
  context: {},
  rows: rows(1),
  deadlines: [
    [[success], 'accepted', 32_000, 'terminated', []],
    [[failure], 'completed', 32_000, 'terminated', []],
    ...ends,
  ],
});

const repeated: ServerEvent = { type: 'request.repeated' };
const provisional: ServerEvent = { type: 'respond.provisional' };
const final: ServerEvent = { type: 'respond.final' };

machineTable(test, 'a request that came', {
  machine: serverMachine,
  events: { 'request.repeated': true, 'respond.provisional': true, 'respond.final': true },
  context: {},
  rows: [
    ['trying', repeated, 'trying', []],
    ['trying', provisional, 'proceeding', commands('send.response')],
    ['trying', final, 'completed', commands('send.response')],
    ['proceeding', repeated, 'proceeding', commands('send.response')],
    ['proceeding', provisional, 'proceeding', commands('send.response')],
    ['proceeding', final, 'completed', commands('send.response')],
    ['completed', repeated, 'completed', commands('send.response')],
    ['completed', provisional, 'completed', []],
    ['completed', final, 'completed', []],
  ],
  deadlines: [
    [[], 'trying', 32_000, 'terminated', []],
    [[provisional], 'proceeding', 32_000, 'terminated', []],
    [[5_000, final], 'completed', 32_000, 'terminated', []],
  ],
});

test('a 2xx without an ACK is sent eleven times, and missed after 64 T1', (t) => {
  const walked = walk(inviteServerMachine({ isLossy: true }), { input: undefined });
  walked.send(success);
  walked.pass(40_000);
  const at = (type: string) => walked.ordersMs.filter((_, index) => walked.commands[index]?.type === type);
  t.deepEqual(at('send.response'), [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
  t.deepEqual(at('report.ack.missed'), [32_000]);
});
