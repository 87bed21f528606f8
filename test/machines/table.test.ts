/** The helper behind the tables: it must notice what a table leaves out. */

import { banMachine } from '../../src/machines/access/ban.ts';
import { peerMachine } from '../../src/machines/cluster/peer.ts';
import { quorumMachine } from '../../src/machines/cluster/quorum.ts';
import { differences } from '../kit/machine-table.ts';
import { test } from '../kit/test.ts';

const events = { 'pong.received': true, 'ping.missed': true } as const;
const machine = peerMachine(1);
const pong = { type: 'pong.received' } as const;

test('a table that leaves an event of a state out is found out', (t) => {
  t.deepEqual(differences({ machine, events, rows: [['unknown.0', pong, 'up.0', []]] }), {
    missing: [
      'unknown.0 × ping.missed',
      'up.0 × pong.received',
      'up.0 × ping.missed',
      'lost.0 × pong.received',
      'lost.0 × ping.missed',
    ],
    strange: [],
  });
});

test('a row of a state that the machine has not, or of its end, is found out', (t) => {
  const bans = differences({
    machine: banMachine,
    events: { 'ban.extended': true, 'ban.removed': true },
    rows: [['lifted', { type: 'ban.removed' }, 'lifted', []]],
  });
  t.true(bans.strange.includes('lifted × ban.removed'));
  const { strange } = differences({ machine, events, rows: [['sleeping', pong, 'up.0', []]] });
  t.deepEqual(strange, ['sleeping × pong.received']);
});

test('states inside others are states of their own, those around them are not', (t) => {
  const { missing } = differences({
    machine: quorumMachine,
    events: { 'members.seen': true, 'tie.granted': true, 'tie.denied': true },
    rows: [],
  });
  t.is(missing.length, 6 * 3);
  t.true(missing.includes('tied.held × tie.denied'));
  t.false(missing.some((pair) => pair.startsWith('tied ×')));
});
