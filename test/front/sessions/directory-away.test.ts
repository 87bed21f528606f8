/** Logins while the directory is unreachable: 503 that names the role; existing sessions continue. */
import {
  acmeAdmin,
  admin,
  type Credentials,
  current,
  emptied,
  FrontCluster,
  good,
  refused,
  roles,
  sessions,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const noticedMs = 5_000;
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ outside: false });
  token = await cluster.token();
  await cluster.world.wait(1_000);
});

function login(who: Credentials, at = 'hq') {
  return cluster.ask(`POST ${sessions}`, { at, json: who });
}

test('with both mdc crashed a login answers 503 and names the role', async (t) => {
  for (const name of ['mdc-133', 'mdc-128']) cluster.world.faults.crashInstance(name);
  await cluster.world.wait(100);
  refused(t, await login(admin), 503, /mdc is not reachable from site hq/);
  refused(t, await login(acmeAdmin), 503, /mdc is not reachable from site hq/);
  refused(t, await login(admin, 'north'), 503, /mdc is not reachable from site north/);
  await cluster.world.wait(noticedMs);
  emptied(t, await login(admin));
  emptied(t, await login(admin, 'north'));
});

test('with both mdc nodes gone sessions that exist go on, and are switched, cloned and closed', async (t) => {
  const cookie = await cluster.cookie();
  for (const name of ['h2', 'h3']) cluster.world.faults.crashNode(name);
  await cluster.world.wait(noticedMs);
  refused(t, await login(admin), 503, /mdc/);
  t.is(await cluster.statusOf({ token }), 200);
  t.is(await cluster.statusOf({ token, at: 'north' }), 200);
  good(t, await cluster.ask(`GET ${roles}/esg/bannedaddrs`, { token }));
  emptied(t, await cluster.ask(`PATCH ${current}`, { token, json: { domain: 'acme.root.test' } }));
  const clone = await cluster.ask(`POST ${sessions}`, { cookie, json: { session_type: 'token_clone_cookie' } });
  t.is(await cluster.statusOf({ token: good<{ session_token: string }>(t, clone).session_token }), 200);
  emptied(t, await cluster.ask(`DELETE ${current}`, { token }));
  for (const name of ['h2', 'h3']) await cluster.restartNode(name);
  emptied(t, await login(admin));
});

test('a login that could not be decided is no failure', async (t) => {
  for (const name of ['mdc-133', 'mdc-128']) cluster.world.faults.crashInstance(name);
  for (let i = 0; i < 8; i += 1) refused(t, await login({ ...admin, pwd: 'wrong' }), 503);
  await cluster.world.wait(noticedMs);
  emptied(t, await login(admin));
});

test('with one mdc gone the other serves', async (t) => {
  cluster.world.faults.crashNode('h3');
  await cluster.world.wait(noticedMs);
  emptied(t, await login(admin));
  emptied(t, await login(admin, 'south'));
  refused(t, await login({ ...admin, pwd: 'wrong' }), 401);
});

test('the moment after the active mdc has died, a login is refused or fails in time, and does no harm', async (t) => {
  cluster.world.faults.crashNode('h3');
  const answer = await login(admin);
  t.true([503, 504].includes(answer.status), answer.text);
  t.true(answer.tookMs <= 5_000, `${answer.tookMs} ms`);
  t.is(answer.headers.get('set-cookie'), null);
});

test('an mdc that is silent is waited for until the deadline, not longer: 504', async (t) => {
  cluster.world.faults.pauseNode('h3');
  const answer = await login(admin);
  refused(t, answer, 504, /may have happened/);
  t.true(answer.tookMs <= 5_000, `${answer.tookMs} ms`);
});

test('the time in which a session is asked for counts: a change whose session is at another site answers 504 in time', async (t) => {
  const { faults } = cluster.world;
  const mend = faults.cut({ from: 'hq', to: 'north' });
  const unknown = await cluster.token(acmeAdmin);
  mend();
  faults.delay({ from: 'north', to: 'hq' }, 400);
  faults.slowStore(['h3'], 10_000);
  const answer = await cluster.ask('POST /rest/v1/uc/chatcampaigns', {
    at: 'north',
    token: unknown,
    json: { code: 'a', name: 'a' },
  });
  refused(t, answer, 504, /may have happened/);
  t.true(answer.tookMs > 4_000 && answer.tookMs <= 5_000, `${answer.tookMs} ms`);
});

test('a site that is cut off logs in the domains that it serves, and not the master domain', async (t) => {
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  emptied(t, await login(acmeAdmin, 'north'));
  refused(t, await login({ ...acmeAdmin, pwd: 'wrong' }, 'north'), 401);
  refused(t, await login(admin, 'north'), 503, /mdc is not reachable from site north/);
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  emptied(t, await login(admin, 'north'));
});

test('a working site whose sdc are gone asks the master site; cut off from that, it names the sdc', async (t) => {
  const crash = () => {
    for (const name of ['sdc-218', 'sdc-229']) cluster.world.faults.crashInstance(name);
  };
  crash();
  emptied(t, await login(acmeAdmin, 'north'));
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  crash();
  refused(t, await login(acmeAdmin, 'north'), 503, /sdc is not reachable from site north/);
});

test('a login to a domain that does not exist is 401 even while both mdc are down', async (t) => {
  for (const name of ['mdc-133', 'mdc-128']) cluster.world.faults.crashInstance(name);
  refused(t, await login({ ...admin, domain: 'nowhere.test' }), 401);
});
