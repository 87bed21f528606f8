/** The topology of a selector meeting: which participants each one hears. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, acmeUser, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const selectors = '/rest/v1/uc/selectors';
const unknown = '00000000-0000-4000-8000-000000000000';
let cluster: FrontCluster;
let token: string;
test.before(async () => {
  cluster = await FrontCluster.start();
  token = await cluster.token(acmeAdmin);
});
test.after(() => cluster.world.stop());

interface Topology {
  hears: Record<string, string[]>;
}

async function meet(t: ExecutionContext) {
  const make = async (path: string, json: object) =>
    good<{ id: string }>(t, await cluster.ask(`POST ${path}`, { token, json })).id;
  const id = await make(selectors, { timestartutc: '2030-01-01T09:00:00Z', topology_mode: 'topology' });
  const people = `${selectors}/${id}/participants`;
  const join = (topology_type: string, number: string) => make(people, { number, topology_type });
  const [ann, bob] = [await join('speaker', '1001'), await join('speaker', '1002')];
  const [lea, asa] = [await join('listener', '1003'), await join('assistant', '1004')];
  const path = `${selectors}/${id}/topology`;
  const show = async () => good<Topology>(t, await cluster.ask(`GET ${path}`, { token })).hears;
  const set = (hears: unknown) => cluster.ask(`PATCH ${path}`, { token, json: { hears } });
  return { id, people, path, ann, bob, lea, asa, show, set };
}

test('until the topology is set, the types of the participants decide what each one hears', async (t) => {
  const { ann, bob, lea, asa, show } = await meet(t);
  t.deepEqual(await show(), { [ann]: [bob, asa], [bob]: [ann, asa], [lea]: [ann, bob], [asa]: [ann, bob, lea] });
});

test('what is set counts, for others nothing changes, and a delete brings back what was', async (t) => {
  const { ann, bob, lea, asa, path, show, set } = await meet(t);
  const before = await show();
  t.deepEqual(good<Topology>(t, await set({ [lea]: [asa] })).hears, { ...before, [lea]: [asa] });
  t.deepEqual(good<Topology>(t, await set({ [ann]: [] })).hears, { ...before, [lea]: [asa], [ann]: [] });
  t.deepEqual(good<Topology>(t, await set({ [lea]: [bob, ann] })).hears, { ...before, [lea]: [bob, ann], [ann]: [] });
  t.deepEqual(await show(), { ...before, [lea]: [bob, ann], [ann]: [] });
  const alias = path.replace('/uc/', '/api/');
  t.deepEqual(good<Topology>(t, await cluster.ask(`GET ${alias}`, { token })).hears[ann], []);
  t.is((await cluster.ask(`DELETE ${path}`, { token })).status, 204);
  t.is((await cluster.ask(`DELETE ${path}`, { token })).status, 204);
  t.deepEqual(await show(), before);
});

test('a participant who was removed is not heard, and hears no other', async (t) => {
  const { ann, bob, lea, people, show, set } = await meet(t);
  good(t, await set({ [lea]: [ann, bob], [bob]: [lea] }));
  t.is((await cluster.ask(`DELETE ${people}/${bob}`, { token })).status, 204);
  const hears = await show();
  t.deepEqual(hears[lea], [ann]);
  t.false(bob in hears);
});

test('a participant that is created again with the id of a removed one hears and is heard by its type', async (t) => {
  const { ann, bob, lea, asa, people, show, set } = await meet(t);
  const before = await show();
  good(t, await set({ [bob]: [], [lea]: [bob] }));
  t.is((await cluster.ask(`DELETE ${people}/${bob}`, { token })).status, 204);
  good(t, await set({ [ann]: [asa] }));
  good(t, await cluster.ask(`POST ${people}`, { token, json: { id: bob, number: '1002', topology_type: 'speaker' } }));
  const sorted = (ids: string[] = []) => [...ids].sort();
  const hears = await show();
  t.deepEqual(sorted(hears[bob]), sorted(before[bob]));
  t.deepEqual(hears[lea], [], 'it was not heard by others any more');
});

test('when all participants are others, what the former ones heard does not count in the limit', async (t) => {
  const { people, ann, bob, lea, asa, set } = await meet(t);
  const join = async () => {
    const json = { number: '1001', topology_type: 'speaker' };
    return good<{ id: string }>(t, await cluster.ask(`POST ${people}`, { token, json })).id;
  };
  const leave = async (id: string) => t.is((await cluster.ask(`DELETE ${people}/${id}`, { token })).status, 204);
  for (const id of [ann, bob, lea, asa]) await leave(id);
  for (let round = 0; round < 2; round += 1) {
    const ids: string[] = [];
    while (ids.length < 52) ids.push(await join());
    const hears = Object.fromEntries(ids.map((id) => [id, ids.filter((other) => other !== id)]));
    t.deepEqual(good<Topology>(t, await set(hears)).hears, hears);
    for (const id of ids) await leave(id);
  }
});

test('only participants of the meeting hear and are heard, others, and each once', async (t) => {
  const { ann, bob, set } = await meet(t);
  refused(t, await set({ [unknown]: [] }), 400, /participants of this meeting/);
  refused(t, await set({ [ann]: [unknown] }), 400, /participants of this meeting/);
  refused(t, await set({ [ann]: [ann] }), 400, /expected other participants/);
  refused(t, await set({ [ann]: [bob, bob] }), 400, /each id once/);
  for (const hears of [{ [ann]: 'all' }, { ann: [] }, [], undefined]) refused(t, await set(hears), 400);
});

test('the conference of a meeting hears what the meeting says: its topology is refused', async (t) => {
  const { id } = await meet(t);
  const json = { timestartutc: '2020-01-01T09:00:00Z' };
  good(t, await cluster.ask(`PATCH ${selectors}/${id}`, { token, json }));
  await cluster.world.wait(10_000);
  const list = good<{ confid: string }[]>(t, await cluster.ask('GET /rest/v1/uc/conferences', { token }));
  const topology = `/rest/v1/uc/conferences/${list[0]?.confid}/topology`;
  const { hears } = good<Topology>(t, await cluster.ask(`GET ${topology}`, { token }));
  t.true(Object.keys(hears).length > 1);
  const silent = { hears: Object.fromEntries(Object.keys(hears).map((each) => [each, []])) };
  refused(t, await cluster.ask(`POST ${topology}`, { token, json: silent }), 409, new RegExp(id));
  t.deepEqual(good<Topology>(t, await cluster.ask(`GET ${topology}`, { token })).hears, hears);
  t.is((await cluster.ask(`DELETE ${selectors}/${id}`, { token })).status, 204);
  await cluster.world.wait(3_000);
});

test('a meeting that there is not has no topology, nor one that is gone', async (t) => {
  const { id, path, lea, set } = await meet(t);
  good(t, await set({ [lea]: [] }));
  t.is((await cluster.ask(`DELETE ${selectors}/${id}`, { token })).status, 204);
  const rows = { GET: undefined, PATCH: { hears: {} }, DELETE: undefined };
  for (const [method, json] of Object.entries(rows)) {
    for (const place of [path, `${selectors}/${unknown}/topology`]) {
      refused(t, await cluster.ask(`${method} ${place}`, { token, ...(json && { json }) }), 404);
    }
  }
});

test('two changes at once both count, and a session that may only read is refused', async (t) => {
  const { ann, bob, path, show, set } = await meet(t);
  const answers = await Promise.all([set({ [ann]: [] }), set({ [bob]: [] })]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const hears = await show();
  t.deepEqual([hears[ann], hears[bob]], [[], []]);
  const reader = await cluster.token(acmeUser);
  refused(t, await cluster.ask(`PATCH ${path}`, { token: reader, json: { hears: {} } }), 403);
  t.is((await cluster.ask(`GET ${path}`, { token: reader })).status, 200);
});
