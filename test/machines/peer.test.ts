/** What a node thinks of a peer, for a patience of one, two and three missed pongs. */
import test from 'ava';
import { type PeerFact, peerMachine } from '../../src/machines/peer.ts';
import { machineTable, type Row } from '../kit/machine-table.ts';

type PeerRow = Row<ReturnType<typeof peerMachine>>;

const facts = { 'pong.received': true, 'ping.missed': true } as const;
const pong: PeerFact = { type: 'pong.received' };
const missed: PeerFact = { type: 'ping.missed' };
const found = { type: 'peer.found' } as const;
const lost = [{ type: 'peer.lost' }, { type: 'connection.doubted' }] as const;
const doubted = { type: 'connection.doubted' } as const;

const always: PeerRow[] = [
  ['unknown', pong, 'up', [found]],
  ['up', pong, 'up', []],
  ['lost', pong, 'up', [found]],
];

machineTable(test, 'a patience of 1', {
  machine: peerMachine(1),
  facts,
  context: {},
  rows: [
    ...always,
    ['unknown', missed, 'lost', [...lost]],
    ['up', missed, 'lost', [...lost]],
    ['lost', missed, 'lost', [doubted]],
  ],
});

machineTable(test, 'a patience of 2', {
  machine: peerMachine(2),
  facts,
  context: {},
  rows: [
    ...always,
    ['unknown', missed, 'silent1', []],
    ['silent1', pong, 'up', [found]],
    ['silent1', missed, 'lost', [...lost]],
    ['up', missed, 'missed1', []],
    ['missed1', pong, 'up', []],
    ['missed1', missed, 'lost', [...lost]],
    ['lost', missed, 'lost1', []],
    ['lost1', pong, 'up', [found]],
    ['lost1', missed, 'lost', [doubted]],
  ],
});

machineTable(test, 'a patience of 3', {
  machine: peerMachine(3),
  facts,
  context: {},
  rows: [
    ...always,
    ['unknown', missed, 'silent1', []],
    ['silent1', pong, 'up', [found]],
    ['silent1', missed, 'silent2', []],
    ['silent2', pong, 'up', [found]],
    ['silent2', missed, 'lost', [...lost]],
    ['up', missed, 'missed1', []],
    ['missed1', pong, 'up', []],
    ['missed1', missed, 'missed2', []],
    ['missed2', pong, 'up', []],
    ['missed2', missed, 'lost', [...lost]],
    ['lost', missed, 'lost1', []],
    ['lost1', pong, 'up', [found]],
    ['lost1', missed, 'lost2', []],
    ['lost2', pong, 'up', [found]],
    ['lost2', missed, 'lost', [doubted]],
  ],
});
