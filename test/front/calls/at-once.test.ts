/** A client that goes on at once: what an answer says is what the next request finds. */

import { acmeAdmin, FrontCluster, good } from '../../kit/front.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const calls = '/rest/v1/uc/calls';

/** North has one b2b, on another node than its mware and its callstore: answers and events come from there over a link. */
function topologyOf() {
  const topology = structuredClone(defaultMap.topology);
  for (const node of topology.sites.flatMap(({ nodes }) => nodes)) {
    node.instances = node.instances.filter(({ srvidx }) => srvidx !== 214);
  }
  return topology;
}

test('a call whose INVITE request reported the answer is a dialog, and can be referred, in the next request', async (t) => {
  const cluster = await FrontCluster.start({ topology: topologyOf() });
  const token = await cluster.token(acmeAdmin);
  const ask = (line: string, json?: unknown) => cluster.ask(line, { at: 'north', token, json });
  for (let round = 0; round < 12; round += 1) {
    const invite = await ask(`INVITE ${calls}`, { from: '1001', to: '1005', response_mode: 3 });
    const { dialogid } = good<{ dialogid: string }>(t, invite);
    const { status } = good<{ status: string }>(t, await ask(`GET ${calls}/${dialogid}`));
    t.is(status, 'dialog', `in round ${round}`);
    good(t, await ask(`REFER ${calls}/${dialogid}`, { by: 'a', referto: '1003', response_mode: 2 }));
    for (const phone of ['1001', '1003', '1005']) cluster.world.outside.hangUp(`acme.root.test/${phone}`);
    await cluster.world.wait(5_000);
  }
});
