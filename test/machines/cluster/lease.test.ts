/** The lease that an arbiter grants one half of a split site. */

import { type LeaseCommand, type LeaseEvent, leaseMachine } from '../../../src/machines/cluster/lease.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const leaseMs = 3_000;
const claimed = (...side: string[]): LeaseEvent => ({ type: 'claimed', side });
const earlier: LeaseEvent = { type: 'earlier.arbiter.seen' };
const granted: LeaseCommand = { type: 'granted' };
const denied: LeaseCommand = { type: 'denied' };
const held = { before: { side: ['n1'] } };

machineTable(test, 'a lease', {
  machine: leaseMachine,
  events: { claimed: true, 'earlier.arbiter.seen': true },
  context: { leaseMs, side: [] },
  rows: [
    ['free', claimed('n1'), 'held', [granted], { after: { side: ['n1'] } }],
    ['free', earlier, 'withheld', []],

    ['held', claimed('n1', 'n3'), 'held', [granted], { ...held, after: { side: ['n1', 'n3'] } }],
    ['held', claimed('n2'), 'held', [denied], { ...held, after: { side: ['n1'] } }],
    ['held', earlier, 'withheld', [], { ...held, after: { side: [] } }],

    ['withheld', claimed('n1'), 'withheld', [denied]],
    ['withheld', earlier, 'withheld', []],
  ],
  input: { leaseMs },
  deadlines: [
    [[], 'withheld', leaseMs, 'free', []],
    [[leaseMs, claimed('n1')], 'held', leaseMs, 'free', []],
    [[leaseMs, claimed('n1'), 2_000, claimed('n1')], 'held', leaseMs, 'free', []],
    [[leaseMs, claimed('n1'), 2_000, claimed('n2')], 'held', leaseMs - 2_000, 'free', []],
    [[earlier], 'withheld', leaseMs, 'free', []],
    [[earlier, 2_000, earlier], 'withheld', leaseMs, 'free', []],
    [[earlier, 2_000, claimed('n1')], 'withheld', leaseMs - 2_000, 'free', []],
  ],
});
