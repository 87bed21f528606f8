/** A banned address. */

import { type BanEvent, banMachine } from '../../../src/machines/access/ban.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const lifted = { type: 'ban.lifted' } as const;
const extended = (atMs: number, untilMs: number): BanEvent => ({ type: 'ban.extended', atMs, untilMs });

machineTable(test, 'a ban', {
  machine: banMachine,
  events: { 'ban.extended': true, 'ban.removed': true },
  context: { atMs: 0, untilMs: 1_000 },
  rows: [
    ['present', extended(10, 1_001), 'present', [], { after: { atMs: 10, untilMs: 1_001 } }],
    ['present', extended(10, 1_000), 'present', [], { after: { atMs: 0, untilMs: 1_000 } }],
    ['present', extended(10, 500), 'present', [], { after: { atMs: 0, untilMs: 1_000 } }],
    ['present', { type: 'ban.removed' }, 'lifted', [lifted]],
  ],
  input: { atMs: 0, untilMs: 1_000 },
  deadlines: [
    [[], 'present', 1_000, 'lifted', [lifted]],
    [[400, extended(400, 5_000)], 'present', 4_600, 'lifted', [lifted]],
    [[400, extended(400, 900)], 'present', 600, 'lifted', [lifted]],
    [[400, extended(400, 1_000)], 'present', 600, 'lifted', [lifted]],
    [[400, extended(400, 5_000), 600, extended(1_000, 5_500)], 'present', 4_500, 'lifted', [lifted]],
  ],
});

test('a ban that is removed is lifted once and leaves no timer behind', (t) => {
  const ban = walk(banMachine, { input: { atMs: 0, untilMs: 1_000 } });
  ban.send({ type: 'ban.removed' });
  t.is(ban.clock.pending, 0);
  ban.pass(2_000);
  t.deepEqual(ban.commands, [lifted]);
});
