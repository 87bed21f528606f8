/** What a user sees of the actors of a node: inspection lines, and the tree in the control interface. */

import { inspectionLine } from '../../../sim/cli/serve/inspection.ts';
import { ProbedCluster } from '../../kit/cluster/probed-cluster.ts';
import { controlled } from '../../kit/http/control.ts';
import { oneSite } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

test('inspection lines have actors, events and states of every part of a node by system id', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const probed = new ProbedCluster({
    map: oneSite(2),
    inspect: (event) => {
      const line = inspectionLine(7, 'a1', event);
      if (line !== undefined) lines.push(JSON.parse(line));
    },
  });
  await probed.start();
  const { 'rpco-10': instance } = Object.fromEntries(
    lines.map((line) => [String(line['actor']).split('/').pop(), line]),
  );
  t.deepEqual([instance?.['atMs'], instance?.['node']], [7, 'a1']);
  t.true(lines.some(({ kind, actor }) => kind === 'actor' && actor === 'site'));
  t.true(lines.some(({ kind, actor, event }) => kind === 'event' && actor === 'peers' && typeof event === 'string'));
  t.true(lines.some(({ kind, actor, state }) => kind === 'state' && actor === 'quorum' && state !== undefined));
});

test('GET /actors shows the actor tree of every node that runs', async (t) => {
  const { cluster, ask } = await controlled();
  const before = await ask('GET /actors');
  t.is(before.status, 200);
  const nodes = before.body as { node: string; site: string; actors: { id: string; children: { id: string }[] } }[];
  t.is(nodes.length, cluster.world.map.nodes.size);
  const [first] = nodes;
  t.is(first?.actors.id, 'node');
  t.true(first?.actors.children.some(({ id }) => id === 'site'));
  await ask('POST /faults', { crash: first?.node });
  const after = (await ask('GET /actors')).body as typeof nodes;
  t.false(after.some(({ node }) => node === first?.node));
});
