/** The service scripts of chat campaigns: what runs them, what they get, and what answers. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, acmeUser, admin, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const campaigns = '/rest/v1/uc/chatcampaigns';
const scripts = '/rest/v1/domain/svcscripts';
const at = 'north';
const fields = { gethistoryscr: 'history', searchhistoryscr: 'history/search', ctxmenuscr: 'contextmenu' } as const;

let cluster: FrontCluster;
let acme: string;

test.before(async () => {
  cluster = await FrontCluster.start();
  acme = await cluster.token(acmeAdmin, at);
});

async function make(t: ExecutionContext, path: string, json: object): Promise<{ id: string }> {
  const made = good<{ id: string }>(t, await cluster.ask(`POST ${path}`, { at, token: acme, json }));
  t.teardown(() => cluster.ask(`DELETE ${path}/${made.id}`, { at, token: acme }));
  return made;
}

function script(t: ExecutionContext, code: string, statements: string): Promise<{ id: string }> {
  const components = [
    { name: 'start', type: 'start', next: 'code' },
    { name: 'code', type: 'code', code: statements },
  ];
  return make(t, scripts, { code, components });
}

for (const [field, end] of Object.entries(fields))
  test(`POST ${end} runs the script that ${field} names, with the campaign and the request`, async (t) => {
    await script(
      t,
      'chat',
      "response_headers = { 'content-type': 'application/json; charset=utf-8' }; response_content = [1, 2, 3, 4, 6, 7].map((n) => startparam(n))",
    );
    const { id } = await make(t, campaigns, { code: 'support', [field]: 'chat' });
    const token = await cluster.token(acmeUser, at);
    const path = `${campaigns}/${id}/${end}`;
    const answer = await cluster.ask(`POST ${path}`, { at, token, json: { conversation: 7 } });
    const [item, ...others] = good<[{ id: string; code: string }, ...unknown[]]>(t, answer);
    t.like(item, { id, code: 'support', [field]: 'chat' });
    t.deepEqual(others, ['POST', path, { conversation: 7 }, '127.0.0.1', 'http']);
    const [run] = good<{ code: string; by: string }[]>(
      t,
      await cluster.ask('GET /rest/v1/journal/scripts?limit=1', { at, token: acme }),
    );
    t.like(run, { code: 'chat', by: 'chat', status: 'finished' });
  });

test('a campaign without the script, a script or a campaign that does not exist: 404', async (t) => {
  const { id } = await make(t, campaigns, { code: 'support', gethistoryscr: 'missing' });
  for (const [path, message] of [
    [`${id}/contextmenu`, /there is no service script/],
    [`${id}/history`, /no script with code "missing"/],
    ['00000000-0000-4000-8000-000000000000/history', /./],
  ] as const)
    refused(t, await cluster.ask(`POST ${campaigns}/${path}`, { at, token: acme, json: {} }), 404, message);
});

test('without a session 401; a session of another domain does not see the campaign', async (t) => {
  await script(t, 'chat', 'response_content = "secret"');
  const { id } = await make(t, campaigns, { code: 'support', gethistoryscr: 'chat' });
  refused(t, await cluster.ask(`POST ${campaigns}/${id}/history`, { at, json: {} }), 401, /./);
  const other = await cluster.token(admin, at);
  refused(t, await cluster.ask(`POST ${campaigns}/${id}/history`, { at, token: other, json: {} }), 404, /./);
});

test('a script that takes longer than the request waits: 504, and it goes on; one that fails: 500', async (t) => {
  const components = [
    { name: 'start', type: 'start', next: 'wait' },
    { name: 'wait', type: 'wait', seconds: '20' },
  ];
  await make(t, scripts, { code: 'slow', components });
  await script(t, 'wrong', 'nothing.there');
  const { id } = await make(t, campaigns, { code: 'support', gethistoryscr: 'slow', ctxmenuscr: 'wrong' });
  const ask = (end: string) => cluster.ask(`POST ${campaigns}/${id}/${end}`, { at, token: acme, json: {} });
  refused(t, await ask('history?timeout=1'), 504, /it goes on/);
  refused(t, await ask('history?timeout=0'), 400, /timeout: expected an integer greater than zero, got "0"/);
  refused(t, await ask('contextmenu'), 500, /component "code": code: /);
});
