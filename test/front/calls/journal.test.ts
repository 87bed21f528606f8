/** Call records, over callstores that the test plays. */
import { parseCollectionQuery } from '../../../src/model/collection/query.ts';
import { done, failed, fault } from '../../../src/model/fault.ts';
import type { ShownCdr } from '../../../src/model/protocol/messages/callstore.ts';
import { recordShape } from '../../../src/model/shapes/call-shapes.ts';
import { applyAtOnce } from '../../kit/at-once.ts';
import { ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { acmeAdmin, acmeUser, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const base = '/rest/v1/journal/calls';
const own = '/rest/v1/journal/calls_by_participation';
let script: ScriptedCalls;
let token: string;
const records = new Map<string, ShownCdr[]>();

function recordOf(inviteid: string, endts: number, more: Partial<ShownCdr> = {}): ShownCdr {
  const [from, to] = ['<sip:1001@acme.root.test>', '<sip:1002@acme.root.test>'];
  const times = { startts: 100, answerts: 200, endts, durationms: endts - 100, talkms: endts - 200 };
  const end = { type: 'bye', status: null, reason: '', participations: [], domains: ['acme.root.test'] };
  const rest = { ...end, recordings: 0 };
  return { inviteid, dialogid: 'd', acallid: 'a', site: 'north', from, to, ...times, ...rest, ...more };
}

test.before(async () => {
  script = await ScriptedCalls.start();
  token = await script.cluster.token(acmeAdmin);
  script.on('callstore.records', ({ domain, inviteid, own, params = [] }, { instance }) => {
    const all = (records.get(instance.site) ?? []).filter(
      (each) => each.domains.includes(domain) && (own === undefined || own.some(([, login]) => login === each.reason)),
    );
    if (inviteid !== undefined) return done({ records: all.filter((each) => each.inviteid === inviteid), count: 1 });
    const query = parseCollectionQuery(params, recordShape);
    if (!query.ok) return failed(fault('invalid', query.fault.message));
    return done({ records: applyAtOnce(all, query.value, recordShape) as ShownCdr[], count: all.length });
  });
  records.set('north', [recordOf('n1', 1_000), recordOf('n2', 3_000, { reason: '1001' })]);
  records.set('south', [
    recordOf('s1', 2_000, { site: 'south' }),
    recordOf('s2', 9, { domains: ['globex.root.test'] }),
  ]);
});

test('the list has the records of the domain from all sites, by the end of the call', async (t) => {
  const ids = async (query: string) =>
    good<ShownCdr[]>(t, await script.cluster.ask(`GET ${base}${query}`, { token })).map(({ inviteid }) => inviteid);
  t.deepEqual(await ids(''), ['n1', 's1', 'n2']);
  t.deepEqual(await ids('?offset=1&limit=1'), ['s1']);
  t.deepEqual(await ids('?order={"endts":"desc"}&limit=2'), ['n2', 's1']);
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}?countonly`, { token })), { count: 3 });
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}?limit=1`, { token })), [recordOf('n1', 1_000)]);
});

test('a record is shown by the inviteid of its call', async (t) => {
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}/s1`, { token })), recordOf('s1', 2_000, { site: 'south' }));
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}/s1?mask=talkms,type`, { token })), {
    talkms: 1_800,
    type: 'bye',
  });
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}/N2?mask=inviteid`, { token })), { inviteid: 'n2' });
  for (const id of ['s2', 'x']) {
    refused(t, await script.cluster.ask(`GET ${base}/${id}`, { token }), 404, /^Call record not found$/);
  }
});

test('a user sees all records of its domain, and its own by participation', async (t) => {
  const user = await script.cluster.token(acmeUser);
  t.is(good<ShownCdr[]>(t, await script.cluster.ask(`GET ${base}`, { token: user })).length, 3);
  const listed = good<ShownCdr[]>(t, await script.cluster.ask(`GET ${own}`, { token: user }));
  t.deepEqual(
    listed.map(({ inviteid }) => inviteid),
    ['n2'],
  );
  good(t, await script.cluster.ask(`GET ${own}/n2`, { token: user }));
  refused(t, await script.cluster.ask(`GET ${own}/n1`, { token: user }), 404, /^Call record not found$/);
});

test('while a site is away, its records are not said to be missing', async (t) => {
  script.cluster.world.faults.crashNode('s1');
  script.cluster.world.faults.crashNode('s2');
  await script.cluster.world.wait(10_000);
  const answer = await script.cluster.ask(`GET ${base}`, { token });
  t.is(good<ShownCdr[]>(t, answer).length, 2);
  t.is(answer.headers.get('x-missing-sites'), 'south');
  good(t, await script.cluster.ask(`GET ${base}/n1`, { token }));
  const lost = await script.cluster.ask(`GET ${base}/s1`, { token });
  refused(t, lost, 503, /^callstore of site south is not reachable from site hq$/);
});
