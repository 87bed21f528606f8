/** What a node can reach, and by which way. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ClusterView } from '../../src/cluster/membership/view.ts';
import { limits } from '../../src/model/limits.ts';
import type { Digest } from '../../src/model/protocol/messages/peer.ts';
import { Views } from '../kit/cluster/views.ts';
import { defaultMap as map } from '../kit/maps.ts';
import { holds, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const instanceAt = (node: string, role: string) => {
  const found = [...map.instances.values()].find((each) => each.node === node && each.role === role);
  if (found === undefined) throw new Error(`no ${role} on ${node}`);
  return found;
};

test('a node alone reaches only itself', (t) => {
  const view = new ClusterView(map, 'n1', 1);
  t.true(view.isReachable('n1'));
  t.is(view.nextHop('n1'), undefined);
  t.false(view.isReachable('n2'));
  t.is(view.statusOf(instanceAt('n1', 'mware')), 'starting');
  t.is(view.statusOf(instanceAt('n2', 'mware')), undefined);
});

test('with all lines whole every node reaches every other, directly where there is a line', (t) => {
  const views = new Views(map);
  for (const from of map.nodes.keys()) {
    const peers = map.peersOf(from).map((peer) => peer.name);
    for (const to of map.nodes.keys()) {
      if (from === to) continue;
      t.true(views.of(from).isReachable(to));
      if (peers.includes(to)) t.deepEqual(views.wayOf(from, to), [from, to]);
      else t.is(views.wayOf(from, to).length, 3, `${from} to ${to}`);
    }
  }
});

test('a node that is no gateway sends through the first gateway of its site, by order', (t) => {
  const views = new Views(map);
  t.deepEqual(views.wayOf('h3', 's2'), ['h3', 'h1', 's2']);
  t.deepEqual(views.wayOf('s2', 'h3'), ['s2', 'h1', 'h3']);
});

test('a gateway that does not run its rpco is none: the next one is taken', (t) => {
  const views = new Views(map);
  views.of('h1').setInstance('rpco-112', 'stopped');
  views.settle();
  t.deepEqual(views.wayOf('h3', 's2'), ['h3', 'h2', 's2']);
  t.deepEqual(views.digest('h1', 'h2').digest.sites, {});
  t.deepEqual(views.wayOf('n1', 'h3'), ['n1', 'h2', 'h3']);
});

test('a gateway without a line to a site goes through its sibling that has one', (t) => {
  const views = new Views(map);
  views.cut('n1', 'south');
  t.deepEqual(views.wayOf('n1', 's1'), ['n1', 'n2', 's1']);
  t.deepEqual(views.wayOf('s2', 'n1'), ['s2', 'n2', 'n1']);
});

test('a gateway without a line to one gateway of a site goes through the other', (t) => {
  const views = new Views(map);
  views.cut('n1', 's1');
  t.deepEqual(views.wayOf('n1', 's1'), ['n1', 's2', 's1']);
});

test('two working sites whose direct lines are cut reach each other through the master site', (t) => {
  const views = new Views(map);
  views.cut('north', 'south');
  t.deepEqual(views.wayOf('n1', 's2'), ['n1', 'h1', 's2']);
  t.deepEqual(views.wayOf('s1', 'n2'), ['s1', 'h1', 'n2']);
  t.false(views.digest('n1', 'n2').digest.sites['south']?.direct);
  t.true(views.digest('n1', 'n2').digest.sites['hq']?.direct);
  views.cut('n1', 'hq');
  t.deepEqual(views.wayOf('n1', 's2'), ['n1', 'n2', 'h1', 's2'], 'a sibling takes it to the master site');
  views.cut('n2', 'hq');
  t.false(views.of('n1').isReachable('s2'));
  t.false(views.of('s2').isReachable('n1'));
  t.is(views.of('n1').statusOf(instanceAt('s2', 'esg')), undefined);
});

test('only the master site relays: cut off from it, a working site is not reached through the other', (t) => {
  const views = new Views(map);
  views.cut('hq', 'north');
  t.false(views.of('h1').isReachable('n1'));
  t.false(views.of('n1').isReachable('h3'));
  t.true(views.of('s1').isReachable('n1'));
  t.true(views.of('s1').isReachable('h3'));
});

test('nodes of a site do not relay: two nodes whose link is cut do not reach each other', (t) => {
  const views = new Views(map);
  views.cut('h1', 'h2');
  t.false(views.of('h1').isReachable('h2'));
  t.deepEqual(views.of('h3').members.reachable, ['h3', 'h1', 'h2']);
});

test('whatever lines are cut, a node in reach is reached, within the hops that an envelope may take', async (t) => {
  const lines = new Views(map).lines.map(([one, other]) => [one, other] as const);
  await holds(
    t,
    fc.property(fc.subarray(lines), fc.subarray([...map.instancesOf('rpco')]), (cut, stopped) => {
      const views = new Views(map);
      for (const { node, name } of stopped) views.of(node).setInstance(name, 'stopped');
      for (const [one, other] of cut) views.cut(one, other);
      views.settle();
      for (const from of map.nodes.keys()) {
        for (const to of map.nodes.keys()) {
          if (from === to) continue;
          const way = views.wayOf(from, to);
          assert.equal(views.of(from).isReachable(to), way.at(-1) === to, way.join(' '));
          assert.ok(way.length - 1 <= limits.envelopeHops, way.join(' '));
        }
      }
    }),
    { numRuns: sized(8, 30) },
  );
});

test('mended, all is as if nothing had been cut', async (t) => {
  await holds(
    t,
    fc.property(fc.subarray(new Views(map).lines), (cut) => {
      const views = new Views(map);
      const whole = new Views(map);
      for (const [one, other] of cut) views.cut(one, other);
      views.mend();
      for (const from of map.nodes.keys()) {
        for (const { name } of map.peersOf(from))
          assert.deepEqual(views.digest(from, name).digest, whole.digest(from, name).digest);
        for (const to of map.nodes.keys()) assert.equal(views.of(from).nextHop(to), whole.of(from).nextHop(to));
      }
    }),
    { numRuns: sized(4, 15) },
  );
});

test('the digest of a gateway vouches for itself, its site and other sites; that of another node for itself and its site', (t) => {
  const views = new Views(map);
  const { self, home, sites } = views.digest('n1', 'n2').digest;
  t.is(self.incarnation, 1);
  t.deepEqual(
    Object.keys(self.instances),
    map.node('n1').instances.map((each) => each.name),
  );
  t.is(self.instances['mware-215'], 'active');
  t.deepEqual(home, { n2: views.digest('n2', 'n1').digest.self });
  t.deepEqual(Object.keys(sites), ['hq', 'south']);
  t.deepEqual(Object.keys(sites['hq']?.nodes ?? {}).sort(), ['h1', 'h2', 'h3']);
  t.deepEqual(sites['south']?.nodes['s2'], views.digest('s2', 's1').digest.self);
  const h3 = views.digest('h3', 'h1').digest;
  t.deepEqual([Object.keys(h3.home), h3.sites], [['h1', 'h2'], {}]);
});

test('only gateways of the master site report other sites to gateways of other sites', (t) => {
  const views = new Views(map);
  t.deepEqual(Object.keys(views.digest('h1', 'n1').digest.sites), ['north', 'south']);
  t.deepEqual(views.digest('n1', 'h1').digest, { ...views.digest('n1', 'n2').digest, sites: {} });
  const { version } = views.digest('n1', 'h1');
  views.of('s1').setInstance('mware-315', 'draining');
  views.settle();
  t.is(views.digest('n1', 'h1').version, version, 'a change elsewhere is not a change of what it reports');
});

test('of an instance on a node that only others of the site reach, what they say is heard', (t) => {
  const views = new Views(map);
  const mware = map.instance('hq/h1/mware-115');
  views.cut('h1', 'h2');
  t.is(views.of('h2').statusOf(mware), undefined);
  t.is(views.of('h2').reportedStatusOf(mware), 'active');
  views.cut('h1', 'h3');
  t.is(views.of('h2').reportedStatusOf(mware), undefined);
});

test('the version changes exactly when the digest does', (t) => {
  const view = new ClusterView(map, 'n1', 4);
  const version = () => view.digestFor(map.node('n2')).version;
  t.is(version(), '4.0');
  view.setInstance('mware-215', 'standby');
  t.is(version(), '4.1');
  view.setInstance('mware-215', 'standby');
  t.is(version(), '4.1');
  view.setPeer('n2', true);
  t.is(version(), '4.1', 'no gateway yet, so its digest has no sites');
  view.setInstance('rpco-212', 'active');
  t.is(version(), '4.2');
  const digest: Digest = { self: { incarnation: 1, instances: {} }, home: {}, sites: {} };
  view.setDigest('n2', '1.0', digest);
  t.is(version(), '4.3');
  view.setDigest('n2', '1.0', { ...digest, self: { incarnation: 9, instances: {} } });
  t.is(version(), '4.3', 'a version that it has is not read again');
});

test('the status of an instance elsewhere is what its node says, as long as it is in reach', (t) => {
  const views = new Views(map);
  const mware = instanceAt('s1', 'mware');
  t.is(views.of('n1').statusOf(mware), 'active');
  views.of('s1').setInstance(mware.name, 'draining');
  views.settle();
  t.is(views.of('n2').statusOf(mware), 'draining');
  t.is(views.of('h3').statusOf(mware), 'draining');
  views.cut('north', 'south');
  views.cut('north', 'hq');
  t.is(views.of('n2').statusOf(mware), undefined);
});

test('a node is formed once it has heard of each peer or has given it up', (t) => {
  const view = new ClusterView(map, 'n1', 1);
  const peers = map.peersOf('n1').map((peer) => peer.name);
  for (const peer of peers) {
    t.false(view.isFormed);
    view.setPeer(peer, peer.startsWith('h'));
  }
  t.true(view.isFormed);
  view.setPeer('h1', false);
  t.true(view.isFormed);
});

test('members of the site are in reach, not decided yet, or out of reach', (t) => {
  const view = new ClusterView(map, 'h3', 1);
  t.deepEqual(view.members, { reachable: ['h3'], pending: 2, total: 3 });
  view.setPeer('h2', true);
  t.deepEqual(view.members, { reachable: ['h3', 'h2'], pending: 1, total: 3 });
  view.setPeer('h1', false);
  t.deepEqual(view.members, { reachable: ['h3', 'h2'], pending: 0, total: 3 });
});

test('listeners are notified of each change and of nothing else', (t) => {
  const view = new ClusterView(map, 'n1', 1);
  let changes = 0;
  view.onChange(() => {
    changes += 1;
  });
  const counted = (change: () => void) => {
    const before = changes;
    change();
    return changes - before;
  };
  t.is(
    counted(() => view.setPeer('n2', true)),
    1,
  );
  t.is(
    counted(() => view.setPeer('n2', true)),
    0,
  );
  t.is(
    counted(() => view.setInstance('ws-211', 'active')),
    1,
  );
  t.is(
    counted(() => view.setInstance('ws-211', 'active')),
    0,
  );
  t.is(
    counted(() => view.setPeer('h3', true)),
    0,
    'no peer of n1',
  );
  t.is(
    counted(() => view.setPeer('unknown', true)),
    0,
  );
});
