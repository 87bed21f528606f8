/** The life of a role instance: of a role that is elected, and of one that is not. */
import test from 'ava';
import { type InstanceFact, instanceMachine } from '../../src/machines/instance.ts';
import { machineTable, type Row, unexpected } from '../kit/machine-table.ts';
import { walk } from '../kit/machine-walk.ts';

const facts = { started: true, elected: true, deposed: true, 'drain.requested': true, drained: true } as const;
const started: InstanceFact = { type: 'started' };
const elected: InstanceFact = { type: 'elected' };
const deposed: InstanceFact = { type: 'deposed' };
const drain: InstanceFact = { type: 'drain.requested' };
const drained: InstanceFact = { type: 'drained' };

const always: Row<typeof instanceMachine>[] = [
  ['starting', elected, 'starting', [unexpected('elected')]],
  ['starting', deposed, 'starting', [unexpected('deposed')]],
  ['starting', drain, 'stopped', [{ type: 'stopped' }]],
  ['starting', drained, 'starting', [unexpected('drained')]],

  ['standby', started, 'standby', [unexpected('started')]],
  ['standby', elected, 'active', [{ type: 'serve' }]],
  ['standby', deposed, 'standby', []],
  ['standby', drain, 'stopped', [{ type: 'stopped' }]],
  ['standby', drained, 'standby', [unexpected('drained')]],

  ['active', started, 'active', [unexpected('started')]],
  ['active', elected, 'active', []],
  ['active', drain, 'draining', [{ type: 'drain' }]],
  ['active', drained, 'active', [unexpected('drained')]],

  ['draining', started, 'draining', [unexpected('started')]],
  ['draining', elected, 'draining', []],
  ['draining', deposed, 'draining', []],
  ['draining', drain, 'draining', []],
  ['draining', drained, 'stopped', [{ type: 'stopped' }]],
];

machineTable(test, 'an instance of a group', {
  machine: instanceMachine,
  facts,
  context: { isElected: true },
  rows: [...always, ['starting', started, 'standby', []], ['active', deposed, 'standby', [{ type: 'stand.by' }]]],
});

machineTable(test, 'an instance that serves with all others', {
  machine: instanceMachine,
  facts,
  context: { isElected: false },
  rows: [
    ...always,
    ['starting', started, 'active', [{ type: 'serve' }]],
    ['active', deposed, 'active', [unexpected('deposed')]],
  ],
});

test('of an active-passive role an instance waits until it is elected, of an active-active role it serves at once', (t) => {
  for (const redundancy of ['active-passive', 'active-active'] as const) {
    const instance = walk(instanceMachine, { input: { redundancy } });
    instance.send(started);
    t.is(instance.state, redundancy === 'active-passive' ? 'standby' : 'active');
  }
});
