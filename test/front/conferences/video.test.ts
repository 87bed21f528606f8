/** Video conferences: the feature code of a room decides of what type a conference is. */

import { acmeAdmin, FrontCluster, good } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const base = '/rest/v1/uc/conferences';

test('rooms behind a feature code of type videoconference are video conferences, and a filter finds them', async (t) => {
  const cluster = await FrontCluster.start();
  t.teardown(() => cluster.world.stop());
  const token = await cluster.token(acmeAdmin);
  const get = async <T>(path: string) => good<T>(t, await cluster.ask(`GET ${path}`, { token }));
  for (const [from, to] of [
    ['1001', '5501'],
    ['1002', '5601'],
    ['1003', '5601'],
  ])
    good(t, await cluster.ask('POST /rest/v1/uc/calls', { token, json: { from, to, response_mode: 3 } }));
  await cluster.world.wait(5_000);
  const found = async (conftype: string) => {
    const list = await get<{ confid: string; uri: string; uris: string[] }[]>(
      `${base}?filter={"conftype":"${conftype}"}`,
    );
    return Promise.all(
      list.map(async ({ confid, uri, uris }) => {
        const one = await get<{ conftype: string }>(`${base}/${confid}`);
        return { uri, conftype: one.conftype, participants: uris.length - 1 };
      }),
    );
  };
  const uriOf = (number: string) => `<sip:${number}@acme.root.test>`;
  t.deepEqual(await found('videoconference'), [{ uri: uriOf('5601'), conftype: 'videoconference', participants: 2 }]);
  t.deepEqual(await found('conference'), [{ uri: uriOf('5501'), conftype: 'conference', participants: 1 }]);
});
