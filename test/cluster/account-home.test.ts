/** Which esg has a provider account, as a node sees it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accountHome } from '../../src/cluster/membership/instance-choice.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { type InstanceStatus, instanceStatuses } from '../../src/model/cluster/states.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

/** Two sites of three esg each; at the first the order is not that of the topology. */
const map = new ClusterMap(
  topologySchema.parse({
    name: 'gates',
    sites: [
      siteOf('one', 'master_communication', [
        [11, 3],
        [12, 1],
        [13, 2],
      ]),
      siteOf('two', 'communication', [[21], [22], [23]]),
    ],
    domains: [{ name: 'root.test' }],
  }),
);

function siteOf(name: string, type: string, gates: readonly (readonly [number, number?])[]): object {
  const instances = gates.map(([srvidx, order]) => ({
    role: 'esg',
    srvidx,
    ...(order === undefined ? {} : { order }),
  }));
  const ip = `10.0.0.${name.length}`;
  return { name, type, domains: ['root.test'], nodes: [{ name: `n-${name}`, ip, instances }] };
}

/** The home of an account that is pinned to `esg` while these instances are not active. */
function homeOf(esg: number, gone: Readonly<Record<number, InstanceStatus | undefined>> = {}): number | undefined {
  const view = { statusOf: ({ srvidx }: { srvidx: number }) => (srvidx in gone ? gone[srvidx] : 'active') };
  return accountHome(map, view as Parameters<typeof accountHome>[1], { esg })?.srvidx;
}

test('an account is on the esg that it is pinned to while that is active', (t) => {
  for (const esg of [11, 12, 13, 21, 22, 23]) t.is(homeOf(esg), esg);
});

test('when its esg is lost, drains or is not active, it moves to the next of the site by order, and from the last to the first', (t) => {
  t.is(homeOf(12, { 12: undefined }), 13);
  t.is(homeOf(13, { 13: 'draining' }), 11);
  t.is(homeOf(11, { 11: 'stopped' }), 12);
  t.is(homeOf(12, { 12: 'starting', 13: undefined }), 11);
  t.is(homeOf(22, { 22: undefined }), 23);
  t.is(homeOf(23, { 23: undefined }), 21);
});

test('it never leaves its site: with every esg there lost it is lost', (t) => {
  t.is(homeOf(22, { 21: undefined, 22: undefined, 23: undefined }), undefined);
});

test('an account whose esg is not in the topology is nowhere', (t) => {
  t.is(homeOf(99), undefined);
});

test('whatever the view, the home is active, of the same site, and the pinned one where that is active', async (t) => {
  const statuses = fc.array(fc.option(fc.constantFrom(...instanceStatuses), { nil: undefined }), {
    minLength: 6,
    maxLength: 6,
  });
  await holds(
    t,
    fc.property(fc.constantFrom(11, 12, 13, 21, 22, 23), statuses, (esg, all) => {
      const order = [11, 12, 13, 21, 22, 23];
      const seen = Object.fromEntries(order.map((srvidx, index) => [srvidx, all[index]]));
      const home = homeOf(esg, seen);
      const active = order.filter(
        (srvidx) => Math.floor(srvidx / 10) === Math.floor(esg / 10) && seen[srvidx] === 'active',
      );
      assert.equal(home === undefined, active.length === 0);
      if (home !== undefined) assert.ok(active.includes(home));
      if (active.includes(esg)) assert.equal(home, esg);
    }),
  );
});
