/** Storage rules: the file of a recording goes when its time is over, and the record of the call stays. */

import type { RecordingEntry } from '../../../src/model/shapes/call-shapes.ts';
import { acmeAdmin, FrontCluster, good, refused } from '../../kit/front.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const calls = '/rest/v1/uc/calls';
const rules = '/rest/v1/uc/recordrules';
const journal = '/rest/v1/journal/calls';
const minute = '0b0ca1d2-3f5c-4d0e-9a53-5d6f1f4b7a10';
const another = 'f5c1a4bc-58c1-4e3b-8d3c-0f2c0f0f7a11';

const topology = {
  ...defaultMap.topology,
  domains: defaultMap.topology.domains.map((domain) => ({
    ...domain,
    storagerules: domain.name === acmeAdmin.domain ? [{ id: minute.toUpperCase(), keepSeconds: 60 }] : [],
  })),
};

test('the file of a recording goes when its storage rule says so, and the record stays', async (t) => {
  const cluster = await FrontCluster.start({ topology });
  await cluster.world.wait(10_000);
  const token = await cluster.token(acmeAdmin, 'north');
  const ask = (line: string, json?: unknown) =>
    cluster.ask(line, { at: 'north', token, ...(json !== undefined && { json }) });
  good(t, await ask(`POST ${rules}`, { rec: 1, tonumber: '1003', storageruleid: minute }));
  good(t, await ask(`POST ${rules}`, { rec: 1, tonumber: '1004', storageruleid: another }));
  await cluster.world.wait(1_000);
  const record = async (to: string) => {
    const json = { from: '1002', to, response_mode: 3 };
    const { dialogid } = good<{ dialogid: string }>(t, await ask(`INVITE ${calls}`, json));
    const { inviteid } = good<{ inviteid: string }>(t, await ask(`GET ${calls}/${dialogid}`));
    await cluster.world.wait(2_000);
    good(t, await ask(`DELETE ${calls}/${dialogid}`));
    return inviteid;
  };
  const [expiring, kept] = [await record('1003'), await record('1004')];
  await cluster.world.wait(30_000);
  const filesOf = async (inviteid: string) =>
    good<RecordingEntry[]>(t, await ask(`GET ${journal}/${inviteid}/attachments`)).flatMap(({ files }) => files);
  const [file] = await filesOf(expiring);
  const href = file?._links.self.href ?? '';
  t.is((await ask(`HEAD ${href}`)).status, 200);
  await cluster.world.wait(40_000);
  t.deepEqual(await filesOf(expiring), []);
  refused(t, await ask(`GET ${href}`), 404, /Call record not found/);
  refused(t, await ask(`DELETE ${href}`), 404, /Call record not found/);
  t.like(good(t, await ask(`GET ${journal}/${expiring}`)), { inviteid: expiring, recordings: 0 });
  t.is((await filesOf(kept)).length, 1, 'a storage rule that there is not keeps it until it is deleted');
});
