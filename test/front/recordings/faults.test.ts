/** Recordings in trouble: a site that is cut off, callstores and b2b instances that die, a rule that a cut-off site knows. */
import type { ExecutionContext } from 'ava';
import type { RecordingEntry } from '../../../src/model/shapes/call-shapes.ts';
import { acmeAdmin, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const journal = '/rest/v1/journal/calls';

let cluster: FrontCluster;
let token: string;

test.beforeEach(async (t) => {
  cluster = await FrontCluster.start();
  await cluster.world.wait(10_000);
  token = await cluster.token(acmeAdmin, 'north');
  good(t, await ask('POST /rest/v1/uc/recordrules', { json: { rec: 1, dir: 'inner' } }));
  await cluster.world.wait(1_000);
});

function ask(line: string, { json, at = 'north' }: { json?: unknown; at?: string } = {}) {
  return cluster.ask(line, { at, token, ...(json !== undefined && { json }) });
}

/** A call of two phones at north. */
async function connect(t: ExecutionContext): Promise<{ dialogid: string; inviteid: string }> {
  const json = { from: '1002', to: '1003', response_mode: 3 };
  const { dialogid } = good<{ dialogid: string }>(t, await ask(`INVITE ${calls}`, { json }));
  return { dialogid, inviteid: good<{ inviteid: string }>(t, await ask(`GET ${calls}/${dialogid}`)).inviteid };
}

async function names(t: ExecutionContext, inviteid: string, at = 'north'): Promise<string[]> {
  const entries = good<RecordingEntry[]>(t, await ask(`GET ${journal}/${inviteid}/attachments`, { at }));
  return entries.flatMap(({ files }) => files.map(({ name }) => name));
}

test('a site that is cut off records by its copy of the rules, and its recordings are there again later', async (t) => {
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(6_000);
  const call = await connect(t);
  await cluster.world.wait(2_000);
  good(t, await ask(`DELETE ${calls}/${call.dialogid}`));
  await cluster.world.wait(5_000);
  const name = `${call.dialogid}-1.wav`;
  t.deepEqual(await names(t, call.inviteid), [name]);
  t.deepEqual(await names(t, call.inviteid.toUpperCase()), [name]);
  const away = await ask(`GET ${journal}/${call.inviteid}/attachments`, { at: 'hq' });
  t.deepEqual(good(t, away), []);
  t.is(away.headers.get('x-missing-sites'), 'north');
  const lost = await ask(`GET ${journal}/${call.inviteid}/attachments/${name}`, { at: 'hq' });
  refused(t, lost, 503, /^callstore of site north is not reachable from site hq$/);
  cluster.world.faults.mend();
  await cluster.world.wait(6_000);
  t.deepEqual(await names(t, call.inviteid, 'hq'), [name]);
});

test('recordings outlive the callstore that kept them, and the b2b that made them', async (t) => {
  const first = await connect(t);
  await cluster.world.wait(1_000);
  good(t, await ask(`DELETE ${calls}/${first.dialogid}`));
  const second = await connect(t);
  await cluster.world.wait(2_000);
  cluster.world.faults.crashInstance('callstore-216');
  cluster.world.faults.crashInstance(`b2b-${second.dialogid.split('-')[0]}`);
  await cluster.world.wait(15_000);
  t.deepEqual(await names(t, first.inviteid), [`${first.dialogid}-1.wav`]);
  t.deepEqual(await names(t, second.inviteid), [`${second.dialogid}-1.wav`]);
  const { talkms, type } = good<{ talkms: number; type: string }>(t, await ask(`GET ${journal}/${second.inviteid}`));
  const [entry] = good<RecordingEntry[]>(t, await ask(`GET ${journal}/${second.inviteid}/attachments`));
  t.deepEqual([type, entry?.files[0]?.size], ['dead', 44 + 32 * talkms]);
});
