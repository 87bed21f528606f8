/** What a node thinks of a peer, for a patience of one, two and three missed pongs. */

import { type PeerEvent, peerMachine } from '../../../src/machines/cluster/peer.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

type PeerRow = Row<ReturnType<typeof peerMachine>>;

const events = { 'pong.received': true, 'ping.missed': true } as const;
const pong: PeerEvent = { type: 'pong.received' };
const missed: PeerEvent = { type: 'ping.missed' };
const found = { type: 'peer.found' } as const;
const lost = [{ type: 'peer.lost' }, { type: 'connection.doubted' }] as const;
const doubted = { type: 'connection.doubted' } as const;

const always: PeerRow[] = [
  ['unknown.0', pong, 'up.0', [found]],
  ['up.0', pong, 'up.0', []],
  ['lost.0', pong, 'up.0', [found]],
];

machineTable(test, 'a patience of 1', {
  machine: peerMachine(1),
  events,
  context: {},
  rows: [
    ...always,
    ['unknown.0', missed, 'lost.0', [...lost]],
    ['up.0', missed, 'lost.0', [...lost]],
    ['lost.0', missed, 'lost.0', [doubted]],
  ],
});

machineTable(test, 'a patience of 2', {
  machine: peerMachine(2),
  events,
  context: {},
  rows: [
    ...always,
    ['unknown.0', missed, 'unknown.1', []],
    ['unknown.1', pong, 'up.0', [found]],
    ['unknown.1', missed, 'lost.0', [...lost]],
    ['up.0', missed, 'up.1', []],
    ['up.1', pong, 'up.0', []],
    ['up.1', missed, 'lost.0', [...lost]],
    ['lost.0', missed, 'lost.1', []],
    ['lost.1', pong, 'up.0', [found]],
    ['lost.1', missed, 'lost.0', [doubted]],
  ],
});

machineTable(test, 'a patience of 3', {
  machine: peerMachine(3),
  events,
  context: {},
  rows: [
    ...always,
    ['unknown.0', missed, 'unknown.1', []],
    ['unknown.1', pong, 'up.0', [found]],
    ['unknown.1', missed, 'unknown.2', []],
    ['unknown.2', pong, 'up.0', [found]],
    ['unknown.2', missed, 'lost.0', [...lost]],
    ['up.0', missed, 'up.1', []],
    ['up.1', pong, 'up.0', []],
    ['up.1', missed, 'up.2', []],
    ['up.2', pong, 'up.0', []],
    ['up.2', missed, 'lost.0', [...lost]],
    ['lost.0', missed, 'lost.1', []],
    ['lost.1', pong, 'up.0', [found]],
    ['lost.1', missed, 'lost.2', []],
    ['lost.2', pong, 'up.0', [found]],
    ['lost.2', missed, 'lost.0', [doubted]],
  ],
});
