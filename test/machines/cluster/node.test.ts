/** The life of a node. */

import { type NodeEvent, nodeMachine } from '../../../src/machines/cluster/node.ts';
import { machineTable, unexpected } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const front = { name: 'ws-1', address: 's/n/ws-1', isFront: true, isGateway: false };
const other = { name: 'b2b-1', address: 's/n/b2b-1', isFront: false, isGateway: false };
const gateway = { name: 'rpco-1', address: 's/n/rpco-1', isFront: false, isGateway: true };
const listening: NodeEvent = { type: 'listening' };
const close: NodeEvent = { type: 'fronts.close.requested' };
const drain: NodeEvent = { type: 'drain.requested' };
const frontStopped: NodeEvent = { type: 'xstate.done.actor.ws-1' };
const otherStopped: NodeEvent = { type: 'xstate.done.actor.b2b-1' };
const gatewayStopped: NodeEvent = { type: 'xstate.done.actor.rpco-1' };
const error = new Error('a bug');
const crashed: NodeEvent = { type: 'xstate.error.actor.peers', error };
const failed = ['failed', [{ type: 'fail', part: 'peers', error }]] as const;

machineTable(test, 'a node', {
  machine: nodeMachine,
  events: {
    listening: true,
    'fronts.close.requested': true,
    'drain.requested': true,
    'xstate.done.actor.ws-1': true,
    'xstate.done.actor.b2b-1': true,
    'xstate.done.actor.rpco-1': true,
    'xstate.error.actor.peers': true,
  },
  context: { supervised: [front, other], backoffMs: 1 },
  rows: [
    ['starting', listening, 'serving', []],
    ['starting', close, 'starting', []],
    ['starting', drain, 'stopped', [{ type: 'leave' }]],
    ['starting', frontStopped, 'starting', []],
    ['starting', otherStopped, 'starting', []],
    ['starting', gatewayStopped, 'starting', []],
    ['starting', crashed, ...failed],

    ['serving', listening, 'serving', [unexpected('listening')]],
    ['serving', close, 'serving', []],
    ['serving', drain, 'stopped', [{ type: 'leave' }], { before: { supervised: [] } }],
    [
      'serving',
      frontStopped,
      'serving',
      [],
      { before: { supervised: [front, other] }, after: { supervised: [other] } },
    ],
    [
      'serving',
      otherStopped,
      'serving',
      [],
      { before: { supervised: [front, other] }, after: { supervised: [front] } },
    ],
    [
      'serving',
      gatewayStopped,
      'serving',
      [],
      { before: { supervised: [front, gateway] }, after: { supervised: [front] } },
    ],
    ['serving', crashed, ...failed],

    ['draining.fronts', listening, 'draining.fronts', [unexpected('listening')], { before: { supervised: [front] } }],
    ['draining.fronts', close, 'draining.fronts', [], { before: { supervised: [front] } }],
    ['draining.fronts', drain, 'draining.fronts', [], { before: { supervised: [front] } }],
    ['draining.fronts', otherStopped, 'draining.fronts', [], { before: { supervised: [front, other] } }],
    ['draining.fronts', gatewayStopped, 'draining.fronts', [], { before: { supervised: [front, gateway] } }],
    ['draining.fronts', frontStopped, 'stopped', [{ type: 'leave' }], { before: { supervised: [front] } }],
    ['draining.fronts', crashed, ...failed, { before: { supervised: [front] } }],

    ['draining.others', listening, 'draining.others', [unexpected('listening')], { before: { supervised: [other] } }],
    ['draining.others', close, 'draining.others', [], { before: { supervised: [other] } }],
    ['draining.others', drain, 'draining.others', [], { before: { supervised: [other] } }],
    ['draining.others', frontStopped, 'draining.others', [], { before: { supervised: [other] } }],
    ['draining.others', otherStopped, 'stopped', [{ type: 'leave' }], { before: { supervised: [other] } }],
    ['draining.others', gatewayStopped, 'draining.others', [], { before: { supervised: [other, gateway] } }],
    ['draining.others', crashed, ...failed],

    [
      'draining.gateways',
      listening,
      'draining.gateways',
      [unexpected('listening')],
      { before: { supervised: [gateway] } },
    ],
    ['draining.gateways', close, 'draining.gateways', [], { before: { supervised: [gateway] } }],
    ['draining.gateways', drain, 'draining.gateways', [], { before: { supervised: [gateway] } }],
    ['draining.gateways', frontStopped, 'draining.gateways', [], { before: { supervised: [gateway] } }],
    ['draining.gateways', otherStopped, 'draining.gateways', [], { before: { supervised: [gateway] } }],
    ['draining.gateways', gatewayStopped, 'stopped', [{ type: 'leave' }], { before: { supervised: [gateway] } }],
    ['draining.gateways', crashed, ...failed],
  ],
});
