/** How long nothing has disturbed a cluster. */
import { Undisturbed } from '../../../../sim/oracles/rules/kit/undisturbed.ts';
import { test } from '../../../kit/test.ts';

/** A fault that begins after 1 s, and is mended by a verb after 2 s. */
function faulted(verb: string, by = verb): Undisturbed {
  const undisturbed = new Undisturbed();
  const { listeners } = undisturbed;
  const fault = { fault: 1, args: [] } as const;
  listeners['fault.inflicted']?.({ ...fault, verb, kind: 'fault.inflicted', atMs: 1_000 });
  listeners['fault.mended']?.({ ...fault, verb: by, isRefused: false, kind: 'fault.mended', atMs: 2_000 });
  return undisturbed;
}

test('a full disk disturbs until there is room again', (t) => {
  t.is(faulted('fillStore').forMs(5_000), 3_000);
});

// Seed 72184 of the campaign: a node took what another one sent for late, whose clock had been corrected a second before.
test('a clock that was wrong disturbs until all nodes have measured it anew', (t) => {
  for (const by of ['skew', 'mend']) {
    t.is(faulted('skew', by).forMs(5_000), 0, by);
    t.is(faulted('skew', by).forMs(15_000), 3_000, by);
  }
});
