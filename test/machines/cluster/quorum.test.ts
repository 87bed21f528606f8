/** Whether a node may act for its site. */

import { type QuorumCommand, type QuorumEvent, quorumMachine } from '../../../src/machines/cluster/quorum.ts';
import { machineTable, unexpected } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const seen = (reachable: number, pending: number, total: number): QuorumEvent => ({
  type: 'members.seen',
  reachable,
  pending,
  total,
});
const all = seen(4, 0, 4);
const most = seen(3, 0, 4);
const half = seen(2, 0, 4);
const halfAndUnknown = seen(2, 1, 4);
const few = seen(1, 0, 4);
const fewAndUnknown = seen(1, 1, 4);
const granted: QuorumEvent = { type: 'tie.granted' };
const denied: QuorumEvent = { type: 'tie.denied' };

const gained: QuorumCommand = { type: 'quorum.gained' };
const lost: QuorumCommand = { type: 'quorum.lost' };
const entered: QuorumCommand = { type: 'tie.entered' };
const left: QuorumCommand = { type: 'tie.left' };

machineTable(test, 'a quorum', {
  machine: quorumMachine,
  events: { 'members.seen': true, 'tie.granted': true, 'tie.denied': true },
  context: {},
  rows: [
    ['forming', all, 'quorate', [gained]],
    ['forming', most, 'quorate', [gained]],
    ['forming', half, 'tied.asking', [entered]],
    ['forming', halfAndUnknown, 'forming', []],
    ['forming', seen(1, 3, 4), 'forming', []],
    ['forming', fewAndUnknown, 'minority', []],
    ['forming', few, 'minority', []],
    ['forming', seen(1, 0, 1), 'quorate', [gained]],
    ['forming', granted, 'forming', [unexpected('tie.granted')]],
    ['forming', denied, 'forming', [unexpected('tie.denied')]],

    ['quorate', all, 'quorate', []],
    ['quorate', most, 'quorate', []],
    ['quorate', half, 'tied.held', [entered]],
    ['quorate', halfAndUnknown, 'minority', [lost]],
    ['quorate', few, 'minority', [lost]],
    ['quorate', granted, 'quorate', []],
    ['quorate', denied, 'quorate', []],

    ['tied.asking', most, 'quorate', [left, gained]],
    ['tied.asking', half, 'tied.asking', []],
    ['tied.asking', few, 'minority', [left]],
    ['tied.asking', granted, 'tied.won', [gained]],
    ['tied.asking', denied, 'tied.asking', []],

    ['tied.held', most, 'quorate', [left]],
    ['tied.held', half, 'tied.held', []],
    ['tied.held', few, 'minority', [left, lost]],
    ['tied.held', granted, 'tied.won', []],
    ['tied.held', denied, 'tied.asking', [lost]],

    ['tied.won', most, 'quorate', [left]],
    ['tied.won', half, 'tied.won', []],
    ['tied.won', few, 'minority', [left, lost]],
    ['tied.won', granted, 'tied.won', []],
    ['tied.won', denied, 'tied.asking', [lost]],

    ['minority', most, 'quorate', [gained]],
    ['minority', half, 'tied.asking', [entered]],
    ['minority', few, 'minority', []],
    ['minority', fewAndUnknown, 'minority', []],
    ['minority', granted, 'minority', []],
    ['minority', denied, 'minority', []],
  ],
});

test('a site whose tie is granted, then denied, and that sees most sites again, gains, loses and regains its quorum', (t) => {
  const site = walk(quorumMachine, { input: undefined });
  for (const event of [most, half, granted, denied, granted, half, most, few]) site.send(event);
  t.deepEqual(site.commands, [gained, entered, lost, gained, left, lost]);
});
