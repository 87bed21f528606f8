/** The lines of a served cluster's log: what an operator sees by default when nodes, instances and logins fail. */

import { writeNotices } from '../../../sim/metrics/notices.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import type { Log, LogFields } from '../../../src/ports/log.ts';
import { test } from '../../kit/test.ts';

const { map, webApps } = loadTopology('default');

/** A running world, and the lines about it: their events with their fields. */
async function observed() {
  const world = new VirtualWorld({ map, webApps, seed: 1 });
  const lines: string[] = [];
  const log: Log = {
    write: (level, event, fields: LogFields = {}) =>
      void lines.push([level, event, ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' ')),
    child: () => log,
  };
  const leave = writeNotices(world, log);
  await world.start();
  return { world, lines, leave, taken: () => lines.splice(0) };
}

test('a cluster that starts has nothing to report, and one that stops reports nothing after `leave`', async (t) => {
  const { world, lines, leave } = await observed();
  leave();
  await world.stop();
  t.deepEqual(lines, []);
});

test('a node that crashes has one line when its peers lose it, and is found again after its restart', async (t) => {
  const { world, taken } = await observed();
  world.faults.crashNode('s2');
  await world.wait(8_000);
  const lines = taken();
  t.true(lines.includes('warn node.ended node=s2 graceful=false'), lines.join('\n'));
  t.is(lines.filter((line) => line.startsWith('warn node.lost node=s2 by=')).length, 1);
  void world.faults.restartNode('s2');
  await world.wait(8_000);
  const after = taken();
  t.true(after.includes('warn node.restarted node=s2'), after.join('\n'));
  t.is(after.filter((line) => line.startsWith('warn node.found node=s2 by=')).length, 1);
  await world.stop();
});

test('faults have a line as they begin and as they end, and a failed login has one', async (t) => {
  const { world, taken } = await observed();
  const mend = world.faults.cut({ from: 'north', to: 'hq' });
  await world.wait(100);
  mend();
  const [begun = '', over = ''] = taken();
  t.regex(begun, /^warn fault\.injected fault=1 verb=cut args=.*north/);
  t.is(over, 'warn fault.lifted fault=1 verb=cut');
  const body = JSON.stringify({ domain: 'acme.root.test', login: 'admin', pwd: 'wrong' });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://hq/rest/v1/iam/sessions', { method: 'POST', body, headers });
  t.is((await world.request('hq', request)).status, 401);
  t.true(taken().some((line) => line.startsWith('warn login.failed front=ws-111 sender=')));
  await world.stop();
});

test('the crash of a node is not reported as lifted while the node is down, whatever the clock says', (t) => {
  const lines: string[] = [];
  const heard = new Map<string, (observation: object) => void>();
  const log: Log = { write: (_level, event) => void lines.push(event), child: () => log };
  const observe: VirtualWorld['observe'] = (listener, { kinds = [] } = {}) => {
    for (const kind of kinds) heard.set(kind, listener as (observation: object) => void);
    return () => {};
  };
  writeNotices({ observe } as VirtualWorld, log);
  const fault = { fault: 1, verb: 'crashNode', args: ['s2'] };
  heard.get('fault.inflicted')?.({ ...fault, atMs: 1 });
  heard.get('fault.mended')?.({ ...fault, atMs: 2 });
  t.deepEqual(lines, ['fault.injected']);
});
