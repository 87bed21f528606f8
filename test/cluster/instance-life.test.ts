/** The lifecycle of role instances on their node: they serve, crash, restart and drain, without harm to others. */

import type { Role, RoleScope } from '../../src/cluster/role.ts';
import { limits } from '../../src/model/limits.ts';
import { ProbedCluster } from '../kit/cluster/probed-cluster.ts';
import { oneSite } from '../kit/maps.ts';
import { test } from '../kit/test.ts';

/** A cluster of one node, whose rpco always serves and whose mware is elected. */
function alone(life: (scope: RoleScope) => Partial<Role>) {
  return new ProbedCluster({ map: oneSite(1), life });
}

const isRole = (scope: RoleScope, role: string) => scope.instance.role === role;
const crashesOf = (probed: ProbedCluster, name: string) =>
  probed.journal.lines.filter((line) => line.includes('instance.crashed') && line.includes(`"${name}"`)).length;

test('serve is called when the instance becomes active, and standBy when it is deposed', async (t) => {
  const transitions: string[] = [];
  const probed = new ProbedCluster({
    map: oneSite(2),
    life: ({ instance }) => ({
      serve: () => void transitions.push(`${instance.name} serves`),
      standBy: () => void transitions.push(`${instance.name} stands by`),
    }),
  });
  await probed.start();
  t.deepEqual(transitions.sort(), ['mware-11 serves', 'rpco-10 serves', 'rpco-20 serves']);
  transitions.length = 0;
  probed.faults.cut({ from: 'a1' });
  await probed.pass(10_000);
  t.deepEqual(transitions, ['mware-11 stands by'], 'half a site, and no arbiter');
});

test('an instance that crashes is started anew after the back-off, and its crash ends its timers and its asks', async (t) => {
  let fired = 0;
  const probed = alone((scope) => ({
    serve: () => {
      scope.clock.setTimer(300, () => {
        fired += 1;
      });
    },
  }));
  await probed.start();
  fired = 0;
  const first = probed.node('a1').instance('rpco-10');
  const startedMs = first?.startedMs ?? 0;
  probed.scope('rpco-10').clock.setTimer(100, () => {
    fired += 100;
  });
  t.true(probed.node('a1').crashInstance('rpco-10'));
  t.is(first?.status, 'active', 'what it was when it died');
  t.is(probed.node('a1').instance('rpco-10'), undefined);
  await probed.pass(499);
  t.is(probed.node('a1').instance('rpco-10'), undefined);
  await probed.pass(1);
  t.is(probed.node('a1').instance('rpco-10')?.status, 'active');
  t.true((probed.node('a1').instance('rpco-10')?.startedMs ?? 0) > startedMs);
  await probed.pass(299);
  t.is(fired, 0);
  await probed.pass(1);
  t.is(fired, 1);
});

test('what an instance still does after its end is not sent in the name of its successor', async (t) => {
  const probed = new ProbedCluster({ map: oneSite(2) });
  await probed.start();
  const { ask, tell } = probed.scope('rpco-10');
  probed.node('a1').crashInstance('rpco-10');
  await probed.pass(600);
  t.is(probed.node('a1').instance('rpco-10')?.status, 'active');
  probed.received.length = 0;
  const { address } = probed.scope('rpco-20').instance;
  const answer = ask(address, 'session.find', { key: 'x' });
  tell(address, 'session.user_gone', { id: 'x' });
  await probed.pass(1_000);
  t.deepEqual(probed.received, []);
  t.like(await answer, { ok: false, fault: { code: 'crashed' } });
});

const bugs: [title: string, role: string, life: (fail: () => never) => Partial<Role>][] = [
  ['that throws when it is to serve', 'rpco', (fail) => ({ serve: fail })],
  ['whose serving fails later', 'rpco', (fail) => ({ serve: async () => fail() })],
  ['that throws when it is to serve, once elected', 'mware', (fail) => ({ serve: fail })],
];

for (const [title, role, life] of bugs) {
  test(`an instance ${title} crashes, is restarted five times, and is given up; the others live on`, async (t) => {
    const fail = (): never => {
      throw new Error('a bug');
    };
    const probed = alone((scope) => (isRole(scope, role) ? life(fail) : {}));
    await probed.start();
    await probed.pass(30_000);
    const name = role === 'rpco' ? 'rpco-10' : 'mware-11';
    const other = role === 'rpco' ? 'mware-11' : 'rpco-10';
    t.is(crashesOf(probed, name), 1 + limits.restarts);
    t.is(crashesOf(probed, other), 0);
    t.is(probed.journal.lines.filter((line) => line.includes('instance.given_up')).length, 1);
    t.is(probed.node('a1').instance(name), undefined);
    t.is(probed.node('a1').instance(other)?.status, 'active');
    await probed.comes(probed.cluster.stop());
    t.is(probed.clock.pending, 0);
  });
}

test('a timer of a role that throws is a crash of its instance, not of the process', async (t) => {
  let isFirst = true;
  const probed = alone((scope) => ({
    serve: () => {
      if (!isRole(scope, 'rpco') || !isFirst) return;
      isFirst = false;
      scope.clock.setTimer(7_000, () => {
        throw new Error('a bug');
      });
    },
  }));
  await probed.start();
  await probed.pass(10_000);
  t.deepEqual([crashesOf(probed, 'rpco-10'), probed.node('a1').instance('rpco-10')?.status], [1, 'active']);
});

test('a role that cannot be made is a crash of its instance', async (t) => {
  let made = 0;
  const probed = alone((scope) => {
    if (!isRole(scope, 'rpco')) return {};
    made += 1;
    if (made <= 2) throw new Error('a bug');
    return {};
  });
  await probed.start();
  await probed.pass(1_500);
  t.deepEqual([made, probed.node('a1').instance('rpco-10')?.status], [3, 'active']);
});

test('a role that throws when it is to stand by crashes, and so does not serve on', async (t) => {
  const probed = new ProbedCluster({
    map: oneSite(2),
    life: () => ({
      standBy: () => {
        throw new Error('a bug');
      },
    }),
  });
  await probed.start();
  probed.faults.cut({ from: 'a1' });
  await probed.pass(10_000);
  t.is(crashesOf(probed, 'mware-11'), 1);
  t.is(probed.node('a1').instance('mware-11')?.status, 'standby');
});

test('a role that throws when it is to drop everything is started anew all the same', async (t) => {
  const probed = alone(() => ({
    stop: () => {
      throw new Error('a bug in stop');
    },
  }));
  await probed.start();
  t.notThrows(() => probed.node('a1').crashInstance('rpco-10'));
  await probed.pass(1_000);
  t.is(probed.node('a1').instance('rpco-10')?.status, 'active');
  await probed.comes(probed.cluster.stop());
  t.is(probed.clock.pending, 0);
});

// Seed 79299 of the campaign: the only gateway of a site drained at once, and its calls were cut off from the other sites.
test('a node that stops lets each role finish what is under way, the gateway last', async (t) => {
  const log: string[] = [];
  const probed = alone(({ clock, instance }) => ({
    drain: () =>
      new Promise((resolve) => clock.setTimer(700, () => resolve(void log.push(`${instance.name} drained`)))),
    stop: () => void log.push(`${instance.name} stopped`),
  }));
  await probed.start();
  const stopMs = probed.clock.now();
  const node = probed.node('a1');
  const { atMs } = await probed.comes(node.stop());
  t.is(atMs, stopMs + 1_400);
  t.deepEqual(log, ['mware-11 drained', 'mware-11 stopped', 'rpco-10 drained', 'rpco-10 stopped']);
  t.deepEqual([node.status, node.openAsks, node.openTimers, probed.clock.pending], ['stopped', 0, 0, 0]);
});

// Seed 30169 of the campaign: for the seconds of some lost pings, nodes sent what was for other sites to a gateway that had stopped.
test('the peers of a node that has stopped know at once that its instances have, and send nothing through it', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  await probed.comes(probed.faults.drainNode('n1'));
  await probed.pass(50);
  const { instances } = probed.map.node('n1');
  for (const peer of ['n2', 'h1']) {
    const statuses = instances.map(({ name }) => [
      name,
      probed.cluster.viewOf(peer)?.statusOf(probed.map.instanceNamed(name)!),
    ]);
    t.deepEqual(
      statuses.filter(([, status]) => status === 'active' || status === 'standby'),
      [],
      peer,
    );
  }
  probed.scope('b2b-223').tell('hq/h1/b2b-114', 'registrar.copied', { bindings: [] });
  await probed.pass(100);
  t.true(probed.received.some(({ by }) => by === 'b2b-114'));
});

const badDrains: [title: string, drain: () => Promise<void>][] = [
  [
    'throws when it is to finish',
    () => {
      throw new Error('a bug');
    },
  ],
  ['fails to finish', () => Promise.reject(new Error('a bug'))],
];

for (const [title, drain] of badDrains) {
  test(`a role that ${title} does not hold up its node`, async (t) => {
    const probed = alone(() => ({ drain }));
    await probed.start();
    await probed.comes(probed.node('a1').stop());
    t.is(probed.node('a1').status, 'stopped');
  });
}

test('an instance that crashes while it finishes does not hold up its node', async (t) => {
  const probed = alone(() => ({ drain: () => new Promise(() => {}) }));
  await probed.start();
  const node = probed.node('a1');
  const left = node.stop();
  await probed.pass(100);
  t.is(node.status, 'draining');
  node.crashInstance('rpco-10');
  probed.scope('mware-11').crash(new Error('a bug'));
  await probed.comes(left);
  t.is(node.status, 'stopped');
  await probed.pass(60_000);
  t.is(node.instance('rpco-10'), undefined, 'nothing starts it anew');
});

test('stop resolves for two calls, and for a later one', async (t) => {
  const probed = alone(({ clock }) => ({ drain: () => new Promise((resolve) => clock.setTimer(500, resolve)) }));
  await probed.start();
  const node = probed.node('a1');
  const first = node.stop();
  await probed.pass(100);
  const second = node.stop();
  await probed.comes(Promise.all([first, second]));
  await probed.comes(node.stop());
  t.is(node.status, 'stopped');
});

test('a node that is terminated through the interface while its cluster stops does not hold that up', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const { value } = await probed.comes(probed.scope('ws-211').ask('north/n1', 'node.terminate', {}));
  t.true(value.ok);
  await probed.comes(probed.cluster.stop());
  t.is(probed.cluster.openAsks, 0);
});

test('a node that was terminated through the interface comes back after a while', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const { value } = await probed.comes(probed.scope('ws-111').ask('north/n2', 'node.terminate', {}));
  t.true(value.ok);
  await probed.pass(1_000);
  t.is(probed.cluster.node('n2'), undefined);
  await probed.pass(10_000);
  t.false(probed.node('h3').view.isReachable('n2'));
  await probed.pass(5_000);
  t.is(probed.node('n2').status, 'serving');
  t.true(probed.node('h3').view.isReachable('n2'));
});

test('an instance that is terminated through the interface is started anew', async (t) => {
  const probed = new ProbedCluster();
  await probed.start();
  const terminate = (name: string) => probed.scope('ws-111').ask('north/n2', 'instance.terminate', { name });
  t.true((await probed.comes(terminate('esg-221'))).value.ok);
  t.is(probed.node('n2').instance('esg-221'), undefined);
  t.like((await probed.comes(terminate('esg-221'))).value, { ok: false, fault: { code: 'not_found' } });
  t.like((await probed.comes(terminate('sg-213'))).value, { ok: false, fault: { code: 'not_found' } });
  await probed.pass(500);
  t.is(probed.node('n2').instance('esg-221')?.status, 'active');
});
