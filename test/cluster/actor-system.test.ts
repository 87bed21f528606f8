/** The actors of a node: one system, in which each part is found by its system id, and none takes the others along. */
import { readFileSync } from 'node:fs';
import { actorLines } from '../../src/actors/actor-logic.ts';
import { ProbedCluster } from '../kit/cluster/probed-cluster.ts';
import { defaultMap, oneSite } from '../kit/maps.ts';
import { test } from '../kit/test.ts';

test('the actor tree of a node of the default cluster', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  t.deepEqual(actorLines(probed.node('h3').actorTree), [
    'node',
    '  supervisor/ivr-131',
    '    hq/h3/ivr-131',
    '  supervisor/conf-132',
    '    hq/h3/conf-132',
    '  supervisor/mdc-133',
    '    hq/h3/mdc-133',
    '  supervisor/sr-134',
    '    hq/h3/sr-134',
    '  site',
    '    quorum',
    '    failover/mdc-133',
    '    failover/sr-134',
    '  peers',
  ]);
});

test('the tree that ARCHITECTURE.md draws names actors of node h1, each below its parent', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const text = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8');
  const [, drawing = ''] = /\n```\n(node {2}[\s\S]*?)\n```/.exec(text) ?? [];
  const drawn = drawing.split('\n').map((line) => line.replace(/^( *\S+).*$/, '$1'));
  const tree = actorLines(probed.node('h1').actorTree);
  t.deepEqual(
    drawn.filter((line) => line.trim() !== '…' && !tree.includes(line)),
    [],
  );
  t.true(drawn.length >= 10);
});

test('every node of the default cluster runs its site, its peers, and a supervisor with its instance for each role', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  for (const { name, instances, site } of defaultMap.nodes.values()) {
    const tree = actorLines(probed.node(name).actorTree).map((line) => line.trim());
    const groups = instances.filter(({ group }) => group !== undefined);
    const arbitrated = [...defaultMap.sites.values()].filter(({ arbiters }) => arbiters.includes(name));
    const wanted = [
      'node',
      'site',
      'peers',
      'quorum',
      ...instances.flatMap((instance) => [`supervisor/${instance.name}`, instance.address]),
      ...groups.map((instance) => `failover/${instance.name}`),
      ...arbitrated.map((each) => `lease/${each.name}`),
    ];
    t.deepEqual([...tree].sort(), wanted.sort(), `${site}/${name}`);
  }
});

test('a stopped node and a crashed one have no actor left but the root, which has ended', async (t) => {
  for (const end of ['stop', 'crash'] as const) {
    const probed = new ProbedCluster({ map: oneSite(2) });
    await probed.start();
    const node = probed.node('a1');
    if (end === 'stop') await probed.comes(node.stop());
    else probed.cluster.crashNode('a1');
    t.deepEqual(actorLines(node.actorTree), ['node'], end);
  }
});

test('an instance that crashes leaves the system until its supervisor starts the next', async (t) => {
  const probed = new ProbedCluster({ map: oneSite(1) });
  await probed.start();
  const node = probed.node('a1');
  const before = actorLines(node.actorTree);
  node.crashInstance('rpco-10');
  t.deepEqual(
    before.filter((line) => !actorLines(node.actorTree).includes(line)),
    ['    alone/a1/rpco-10'],
  );
  await probed.pass(500);
  t.deepEqual(actorLines(node.actorTree), before);
});

test('a part of a node that throws ends the node, not the process, and the node comes back', async (t) => {
  const probed = new ProbedCluster({ map: oneSite(3) });
  await probed.start();
  const node = probed.node('a1');
  node.view.onChange(() => {
    throw new Error('a bug');
  });
  probed.cluster.crashNode('a2');
  await probed.pass(5_000);
  t.is(node.status, 'failed');
  t.deepEqual([node.openTimers, node.openAsks, actorLines(node.actorTree)], [0, 0, ['node']]);
  t.is(probed.cluster.node('a1'), undefined);
  t.true(probed.journal.lines.some((line) => line.includes('node.crashed') && line.includes('peers: a bug')));
  await probed.pass(probed.map.topology.timings.nodeRestartMs + 5_000);
  t.is(probed.node('a1').status, 'serving');
});

test('XState inspection sees every actor of a node, and an envelope as an event of its instance', async (t) => {
  const events: string[] = [];
  const probed = new ProbedCluster({
    map: oneSite(1),
    inspect: (event) => {
      if (event.type === '@xstate.event')
        events.push(`${(event.actorRef as { systemId?: string }).systemId} ${event.event.type}`);
    },
  });
  await probed.start();
  probed.scope('mware-11').tell('alone/a1/rpco-10', 'session.closed', { key: 'k', atMs: 0 } as never);
  await probed.pass(10);
  for (const wanted of [
    'node listening',
    'quorum members.seen',
    'alone/a1/mware-11 elected',
    'alone/a1/rpco-10 envelope.received',
  ])
    t.true(events.includes(wanted), wanted);
});
