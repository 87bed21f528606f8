/** The life of a node. */
import test from 'ava';
import { nodeMachine } from '../../src/machines/node.ts';
import { machineTable, unexpected } from '../kit/machine-table.ts';

machineTable(test, 'a node', {
  machine: nodeMachine,
  facts: { listening: true, 'drain.requested': true, drained: true },
  context: {},
  rows: [
    ['starting', { type: 'listening' }, 'serving', [{ type: 'start.instances' }]],
    ['starting', { type: 'drain.requested' }, 'stopped', [{ type: 'leave' }]],
    ['starting', { type: 'drained' }, 'starting', [unexpected('drained')]],

    ['serving', { type: 'listening' }, 'serving', [unexpected('listening')]],
    ['serving', { type: 'drain.requested' }, 'draining', [{ type: 'drain.instances' }]],
    ['serving', { type: 'drained' }, 'serving', [unexpected('drained')]],

    ['draining', { type: 'listening' }, 'draining', [unexpected('listening')]],
    ['draining', { type: 'drain.requested' }, 'draining', []],
    ['draining', { type: 'drained' }, 'stopped', [{ type: 'leave' }]],
  ],
});
