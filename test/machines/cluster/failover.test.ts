/** Whether a member of a group takes over. */

import { type FailoverCommand, type FailoverEvent, failoverMachine } from '../../../src/machines/cluster/failover.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const takeoverMs = 1_000;
const served: FailoverEvent = { type: 'election.not.needed' };
const vacant: FailoverEvent = { type: 'group.vacant' };
const uncertain: FailoverEvent = { type: 'group.uncertain' };
const superseded: FailoverEvent = { type: 'member.must.step.down' };
const elect: FailoverCommand = { type: 'elect' };
const depose: FailoverCommand = { type: 'depose' };

machineTable(test, 'a failover', {
  machine: failoverMachine,
  events: { 'election.not.needed': true, 'group.vacant': true, 'group.uncertain': true, 'member.must.step.down': true },
  context: { takeoverMs },
  rows: [
    ['settled', served, 'settled', []],
    ['settled', vacant, 'settled', [elect]],
    ['settled', uncertain, 'waiting', []],
    ['settled', superseded, 'settled', [depose]],

    ['waiting', served, 'settled', []],
    ['waiting', vacant, 'settled', [elect]],
    ['waiting', uncertain, 'waiting', []],
    ['waiting', superseded, 'settled', [depose]],
  ],
  input: { takeoverMs },
  deadlines: [
    [[uncertain], 'waiting', takeoverMs, 'settled', [elect]],
    [[uncertain, 400, uncertain], 'waiting', takeoverMs - 400, 'settled', [elect]],
    [[uncertain, 400, served, uncertain], 'waiting', takeoverMs, 'settled', [elect]],
  ],
});
