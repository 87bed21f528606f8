/** Faults in a process that runs one node of a cluster. */

import { ListedFaults } from '../../../sim/scenario/run/listed-faults.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';

const { map, webApps } = loadTopology('default');

const refused: readonly (readonly [fault: object, message: RegExp])[] = [
  [
    { crash: 's2' },
    /^crash: expected nodes of this process \(n1\), got s2, which other processes run: ask .*node s2 --control/,
  ],
  [{ crash: 'north' }, /^crash: expected nodes of this process \(n1\), got n2, which/],
  [{ restart: 'ivr-325' }, /^restart: .* got s2,/],
  [{ skew: { at: 'hq', by: '1s' } }, /^skew\.at: .* got h1, h2, h3,/],
  [
    { silence: 'acme.root.test/1001' },
    /^silence: expected a phone or a provider of this process, got "acme.root.test\/1001", which another one runs: ask .*node n1 --control/,
  ],
  [{ refuseRegister: { who: 'sip.telecom.test' } }, /^refuseRegister\.who: .* got "sip\.telecom\.test",/],
  [{ cut: { from: 'hq', to: 'south' } }, /^cut: .* got h1, h2, h3, s1, s2,/],
];

test('a process of one node refuses faults of other nodes, and says which process to ask', async (t) => {
  const { faults, cluster } = new VirtualWorld({ map, webApps, seed: 1 });
  const outside = { phones: () => [], providers: () => [] };
  const listed = new ListedFaults({ map, faults, cluster, outside, now: () => 0, nodes: ['n1'] });
  for (const [fault, message] of refused) await t.throwsAsync(listed.inject(fault), { message });
  t.deepEqual(listed.list(), []);
  t.like(await listed.inject({ cut: { from: 'north', to: 'hq' } }), { active: true });
  t.like(await listed.inject({ slowStore: { at: 'n1', by: '1s' } }), { active: true });
});
