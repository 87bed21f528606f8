/** Domain data while its master is away: copies are read, changes are refused and did not happen, nothing is lost. */
import { EntityClient, type Item } from '../../kit/data/entities.ts';
import { acmeAdmin, emptied, FrontCluster, good, refused, sessions } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const noticedMs = 5_000;
let cluster: FrontCluster;
let client: EntityClient;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ outside: false });
  client = await EntityClient.open(cluster, 'sipuser');
});

async function logins(at: string): Promise<unknown[]> {
  return (await client.list('?mask=login&offset=10', { at })).map((item) => item['login']);
}

async function logIn(login: string, at: string): Promise<number> {
  const json = { domain: 'acme.root.test', login, pwd: 'secret' };
  return (await cluster.ask(`POST ${sessions}`, { at, json })).status;
}

test('a site that is cut off reads its copy, states the age of the copy, and refuses changes', async (t) => {
  const { id } = await client.create();
  t.is((await client.ask(`GET /${id}`, { at: 'north' })).headers.get('x-data-age'), null, 'it is of the master');
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(60_000);
  for (const line of [`GET /${id}`, 'GET', 'GET ?countonly', 'LOOKUP']) {
    const answer = await client.ask(line, { at: 'north', ...(line === 'LOOKUP' && { json: '2001' }) });
    good(t, answer);
    const age = Number(answer.headers.get('x-data-age'));
    t.true(age >= 55 && age <= 91, `${line}: ${age} s`);
  }
  const missing = await client.ask('LOOKUP', { at: 'north', json: 'unknown' });
  refused(t, missing, 404, /^Lookup failed$/);
  t.truthy(missing.headers.get('x-data-age'));
  const unknown = await client.ask('GET /00000000-0000-4000-8000-000000000000', { at: 'north' });
  refused(t, unknown, 404, /^no SIP user/);
  t.truthy(unknown.headers.get('x-data-age'), 'the copy may not have it yet');
  for (const [line, json] of [
    ['POST', { ...client.least, login: '2002' }],
    [`PATCH /${id}`, { name: 'X' }],
    [`DELETE /${id}`],
  ] as const) {
    refused(t, await client.ask(line, { at: 'north', json }), 503, /mdc is not reachable from site north/);
  }
  t.deepEqual(await logins('hq'), ['2001']);
});

test('what changed while a site was cut off is there as soon as it is back, and what was removed is gone', async (t) => {
  const users = await EntityClient.open(cluster, 'user');
  const ann = await users.create();
  const { id } = await client.create();
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  await client.create({ login: '2002', phonenumber: '2002' });
  emptied(t, await client.ask(`DELETE /${id}`));
  emptied(t, await users.ask(`DELETE /${ann.id}`));
  t.deepEqual(await logins('north'), ['2001']);
  t.is(await logIn('ann', 'north'), 204, 'it does not know yet');
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  t.is(await logIn('ann', 'north'), 401);
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  t.deepEqual(await logins('north'), ['2002'], 'its copy has it');
});

test('a site whose sdc start anew while it is cut off serves what it had, also from the stand-by', async (t) => {
  await client.create();
  const users = await EntityClient.open(cluster, 'user');
  await users.create();
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  cluster.world.faults.crashInstance('sdc-218');
  await cluster.world.wait(noticedMs);
  t.deepEqual(await logins('north'), ['2001']);
  for (const name of ['n1', 'n2']) cluster.world.faults.crashNode(name);
  for (const name of ['n1', 'n2']) void cluster.world.faults.restartNode(name);
  await cluster.world.wait(noticedMs);
  t.is(await logIn('ann', 'north'), 204);
  const token = await cluster.token(acmeAdmin, 'north');
  const answer = await client.ask('GET', { at: 'north', token });
  t.is(good<Item[]>(t, answer).length, 11);
  t.true(Number(answer.headers.get('x-data-age')) >= 9);
});

test('with the master site whole but its mdc silent, reads come from the copy in time', async (t) => {
  const { id } = await client.create();
  cluster.world.faults.pauseNode('h3');
  const answer = await client.ask(`GET /${id}`, { at: 'north' });
  good(t, answer);
  t.true(Number(answer.headers.get('x-data-age')) <= 5);
  t.true(answer.tookMs < 4_000);
  refused(t, await client.ask(`PATCH /${id}`, { at: 'north', json: { name: 'X' } }), 504, /may have happened/);
});

test('a cluster in which every frame comes twice makes one item of one request', async (t) => {
  const rules = await EntityClient.open(cluster, 'recordrule');
  cluster.world.faults.duplicate({ from: '*', to: '*' }, 1);
  const made: string[] = [];
  for (const at of ['hq', 'north', 'south']) made.push((await rules.create({}, { at })).id);
  await cluster.world.wait(noticedMs);
  for (const at of ['hq', 'north'])
    t.deepEqual(
      (await rules.list('', { at })).map(({ id }) => id),
      made,
    );
  emptied(t, await rules.ask(`DELETE /${made[0]}`, { at: 'north' }));
  good(t, await rules.ask(`PATCH /${made[1]}`, { at: 'north', json: { priority: 5 } }));
});

test('the mdc that takes over has all that was acknowledged, whichever way the other ended', async (t) => {
  const made = ['1'];
  const add = async () => {
    const login = `3${String(made.length).padStart(3, '0')}`;
    await client.create({ login, phonenumber: login });
    made.push(login);
  };
  await add();
  cluster.world.faults.crashInstance('mdc-133');
  await cluster.world.wait(noticedMs);
  await add();
  cluster.world.faults.crashNode('h2');
  await cluster.world.wait(noticedMs);
  await add();
  await cluster.restartNode('h2');
  cluster.world.faults.pauseNode('h3');
  await cluster.world.wait(noticedMs);
  refused(t, await client.ask('POST', { json: { ...client.least, login: '3999' } }), 503, /mdc/);
  cluster.world.faults.resumeNode('h3');
  await cluster.world.wait(noticedMs);
  await add();
  for (const at of ['hq', 'north', 'south']) t.deepEqual(await logins(at), made.slice(1), at);
});

for (const seed of [1, 2, 3, 4]) {
  test(`writers at every site, and an mdc that dies among them: all that was acknowledged is there once (${seed})`, async (t) => {
    const { world } = cluster;
    const acknowledged = new Set<string>();
    const refusedSurely = new Set<string>();
    let isOver = false;
    const writer = async (at: string, prefix: number) => {
      for (let i = 0; !isOver; i += 1) {
        const login = `${prefix}${String(i).padStart(4, '0')}`;
        const answer = await client.ask('POST', { at, json: { ...client.least, login, phonenumber: login } });
        if (answer.status === 200) acknowledged.add(login);
        else if (answer.status === 503) refusedSurely.add(login);
        else t.is(answer.status, 504, answer.text);
        await world.wait(answer.status === 200 ? 20 : 200);
      }
    };
    const writing = Promise.all(['hq', 'north', 'south'].map((at, i) => writer(at, 4 + i)));
    await world.wait(300 + 137 * seed);
    if (seed % 2 === 0) world.faults.crashNode('h3');
    else world.faults.crashInstance('mdc-133');
    await world.wait(6_000);
    isOver = true;
    await writing;
    await world.wait(noticedMs);
    const there = (await logins('hq')) as string[];
    t.is(new Set(there).size, there.length);
    t.deepEqual(
      [...acknowledged].filter((login) => !there.includes(login)),
      [],
    );
    t.deepEqual(
      [...refusedSurely].filter((login) => there.includes(login)),
      [],
    );
    t.true(acknowledged.size >= 10, `${acknowledged.size}`);
    world.faults.cut({ from: 'north' });
    await world.wait(noticedMs);
    t.deepEqual(await logins('north'), there, 'and the copies are the same');
  });
}
