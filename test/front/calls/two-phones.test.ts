/** A SIP user with two phones: both are called at once, and the call shows a leg for each until one answers. */

import type { Dialog } from '../../../src/model/protocol/messages/callstore.ts';
import { type Credentials, FrontCluster, good } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const calls = '/rest/v1/uc/calls';
const admin: Credentials = { domain: 'globex.root.test', login: 'admin', pwd: 'admin' };

test('both phones of 1008 ring, one answers, and the other one is cancelled', async (t) => {
  const cluster = await FrontCluster.start();
  await cluster.world.wait(10_000);
  const token = await cluster.token(admin, 'south');
  const ask = (line: string, json?: unknown) =>
    cluster.ask(line, { at: 'south', token, ...(json !== undefined && { json }) });
  good(t, await ask(`INVITE ${calls}`, { from: '1001', to: '1008', response_mode: 1 }));
  await cluster.world.wait(3_000);
  const [forking] = good<Dialog[]>(t, await ask(`GET ${calls}`));
  t.is(forking?.status, 'forking');
  const sides = (call: Dialog | undefined) => call?.legs.map(({ side }) => side).join('');
  t.is(sides(forking), 'abb');
  t.is(new Set(forking?.callids).size, 3);
  await cluster.world.wait(10_000);
  const [talking] = good<Dialog[]>(t, await ask(`GET ${calls}`));
  t.is(talking?.status, 'dialog');
  t.is(sides(talking), 'ab');
  const states = cluster.world.outside.phones('globex.root.test/1008').map(({ calls: each }) => each.length);
  t.deepEqual(states.toSorted(), [0, 1]);
});
