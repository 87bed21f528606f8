/** The transfer of a call: every event in every state. */

import {
  type Refer,
  type TransferContext,
  type TransferEvent,
  transferMachine,
} from '../../../src/machines/call/transfer.ts';
import type { Side } from '../../../src/model/protocol/messages/dialog.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const refer: Refer = { referTo: { uri: 'sip:1003@acme.root.test' }, referredBy: undefined };
const received = (by: Side): TransferEvent => ({ type: 'refer.received', by, refer });
const requested = (side: Side): TransferEvent => ({ type: 'refer.requested', side, refer });
const answered = (side: Side, status: number): TransferEvent => ({ type: 'refer.answered', side, status });
const notified = (side: Side, status: number): TransferEvent => ({
  type: 'progress.notified',
  side,
  status,
  sipfrag: `SIP/2.0 ${status} X`,
});
/** Of the REFER of side a that was passed on before. */
const earlier = { ...notified('b', 200), id: 7 } as const;
const gone: TransferEvent = { type: 'call.gone' };

const pass = (by: Side) => ({ type: 'pass.refer', by, refer }) as const;
const send = (side: Side) => ({ type: 'send.refer', side, refer }) as const;
const refuse = (by: Side, status = 491) => ({ type: 'refuse.refer', by, status }) as const;
const accept = (by: Side) => ({ type: 'accept.refer', by }) as const;
const passOn = (from: Side, status: number) =>
  ({ type: 'pass.progress', from, sipfrag: `SIP/2.0 ${status} X` }) as const;
const leave = (side: Side) => ({ type: 'leave', side }) as const;

const context = (more: Partial<TransferContext> = {}): TransferContext => ({
  by: 'a',
  open: [],
  arrived: undefined,
  isHalfKnown: false,
  ...more,
});
const one = { before: context({ open: ['b'] }) };
const both = { before: context({ open: ['a', 'b'] }) };
const second = { before: context({ open: ['b'], arrived: 'a', isHalfKnown: true }) };
/** Side a has failed. */
const alone = { before: context({ open: ['b'], isHalfKnown: true }) };

type TransferRow = Row<typeof transferMachine>;

const directing: TransferRow[] = [
  ['directing', received('a'), 'directing', [refuse('a')], one],
  ['directing', requested('b'), 'directing', [], one],
  ['directing', requested('a'), 'directing', [send('a')], { ...one, after: { open: ['b', 'a'] } }],
  ['directing', requested('a'), 'directing', [], second],
  ['directing', requested('a'), 'directing', [], alone],
  ['directing', answered('b', 202), 'directing', [], one],
  ['directing', answered('b', 603), 'idle', [], { ...one, after: context() }],
  ['directing', answered('b', 603), 'directing', [], { ...both, after: { open: ['a'], isHalfKnown: true } }],
  ['directing', answered('b', 603), 'leaving', [leave('a')], second],
  ['directing', answered('a', 603), 'directing', [], one],
  ['directing', notified('b', 180), 'directing', [], one],
  ['directing', notified('b', 200), 'leaving', [leave('b')], one],
  [
    'directing',
    notified('b', 200),
    'directing',
    [],
    { ...both, after: { open: ['a'], arrived: 'b', isHalfKnown: true } },
  ],
  [
    'directing',
    notified('b', 486),
    'directing',
    [],
    { ...both, after: { open: ['a'], arrived: undefined, isHalfKnown: true } },
  ],
  ['directing', notified('b', 486), 'idle', [], { ...one, after: context() }],
  ['directing', notified('b', 486), 'idle', [], { ...alone, after: context() }],
  ['directing', notified('b', 200), 'leaving', [leave('b')], { ...alone, after: context({ arrived: 'b' }) }],
  ['directing', notified('b', 486), 'leaving', [leave('a')], second],
  ['directing', notified('b', 200), 'leaving', [leave('a')], second],
  ['directing', notified('a', 200), 'directing', [passOn('a', 200)], one],
  ['directing', earlier, 'directing', [{ ...passOn('b', 200), id: 7 }], one],
  ['directing', gone, 'over', []],
];

machineTable(test, 'a transfer', {
  machine: transferMachine,
  events: {
    'refer.received': true,
    'refer.requested': true,
    'refer.answered': true,
    'progress.notified': true,
    'call.gone': true,
  },
  context: context(),
  rows: [
    ['idle', received('b'), 'passing', [pass('b')], { after: { by: 'b' } }],
    ['idle', requested('b'), 'directing', [send('b')], { after: { open: ['b'] } }],
    ['idle', answered('b', 202), 'idle', []],
    ['idle', notified('b', 180), 'idle', [passOn('b', 180)]],
    ['idle', gone, 'over', []],

    ['passing', received('b'), 'passing', [refuse('b')]],
    ['passing', requested('b'), 'passing', []],
    ['passing', answered('b', 202), 'idle', [accept('a')]],
    ['passing', answered('b', 603), 'idle', [refuse('a', 603)]],
    ['passing', answered('a', 202), 'passing', []],
    ['passing', notified('b', 180), 'passing', [passOn('b', 180)]],
    ['passing', gone, 'over', []],

    ...directing,

    ['leaving', received('a'), 'leaving', [refuse('a')]],
    ['leaving', requested('a'), 'leaving', []],
    ['leaving', answered('a', 202), 'leaving', []],
    ['leaving', notified('b', 200), 'leaving', [passOn('b', 200)]],
    ['leaving', gone, 'over', []],
  ],
  deadlines: [
    [[requested('b')], 'directing', 320_000, 'idle', []],
    [[requested('a'), 150_000, requested('b')], 'directing', 320_000, 'idle', []],
    [[requested('a'), requested('b'), notified('a', 200)], 'directing', 320_000, 'leaving', [leave('a')]],
  ],
});
