/** A stop that may not take long: it ends calls and requests as far as the time allows. */

import { acmeAdmin, FrontCluster } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const calls = 'POST /rest/v1/uc/calls';

test('a bounded stop ends in time, also with open calls and a request that waits for its call', async (t) => {
  const cluster = await FrontCluster.start();
  const { world } = cluster;
  const token = await cluster.token(acmeAdmin);
  const placed = { from: '1001', to: '1002', response_mode: 3 };
  t.is((await cluster.ask(calls, { at: 'north', token, json: placed })).status, 200);
  const unanswered = cluster.ask(calls, { at: 'north', token, json: { from: '1003', to: '1008', response_mode: 3 } });
  const request = unanswered.then(
    ({ status }) => `answered ${status}`,
    () => 'dropped',
  );
  await world.wait(1_500);
  const startedMs = world.now();
  await world.during(world.cluster.stop(1_600));
  t.true(world.now() - startedMs <= 1_600, `${world.now() - startedMs} ms`);
  t.deepEqual(world.cluster.census(), []);
  t.regex(await request, /^(answered \d+|dropped)$/);
});
