/** The life of a role instance: of a role that is elected, and of one that is not. */

import { type InstanceEvent, instanceMachine } from '../../../src/machines/cluster/instance.ts';
import { machineTable, type Row, unexpected } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const events = { started: true, elected: true, deposed: true, 'drain.requested': true, drained: true } as const;
const started: InstanceEvent = { type: 'started' };
const elected: InstanceEvent = { type: 'elected' };
const deposed: InstanceEvent = { type: 'deposed' };
const drain: InstanceEvent = { type: 'drain.requested' };
const drained: InstanceEvent = { type: 'drained' };

const always: Row<ReturnType<typeof instanceMachine>>[] = [
  ['starting', elected, 'starting', [unexpected('elected')]],
  ['starting', deposed, 'starting', [unexpected('deposed')]],
  ['starting', drain, 'stopped', []],
  ['starting', drained, 'starting', [unexpected('drained')]],

  ['active', started, 'active', [unexpected('started')]],
  ['active', elected, 'active', []],
  ['active', drain, 'draining', [{ type: 'drain' }]],
  ['active', drained, 'active', [unexpected('drained')]],

  ['draining', started, 'draining', [unexpected('started')]],
  ['draining', elected, 'draining', []],
  ['draining', deposed, 'draining', []],
  ['draining', drain, 'draining', []],
  ['draining', drained, 'stopped', []],
];

const standby: typeof always = [
  ['standby', started, 'standby', [unexpected('started')]],
  ['standby', elected, 'active', [{ type: 'serve' }]],
  ['standby', deposed, 'standby', []],
  ['standby', drain, 'draining', [{ type: 'drain' }]],
  ['standby', drained, 'standby', [unexpected('drained')]],
];

machineTable(test, 'an instance of a group', {
  machine: instanceMachine('active-passive'),
  events,
  context: {},
  rows: [
    ...always,
    ...standby,
    ['starting', started, 'standby', []],
    ['active', deposed, 'standby', [{ type: 'stand.by' }]],
  ],
});

machineTable(test, 'an instance that serves with all others', {
  machine: instanceMachine('active-active'),
  events,
  context: {},
  rows: [
    ...always,
    ['starting', started, 'active', [{ type: 'serve' }]],
    ['active', deposed, 'active', [unexpected('deposed')]],
  ],
});

test('of an active-passive role an instance waits until it is elected, of an active-active role it serves at once', (t) => {
  for (const redundancy of ['active-passive', 'active-active'] as const) {
    const instance = walk(instanceMachine(redundancy), {});
    instance.send(started);
    t.is(instance.state, redundancy === 'active-passive' ? 'standby' : 'active');
  }
});
