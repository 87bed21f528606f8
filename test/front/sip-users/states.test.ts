/** States of SIP users, over an sr that the test plays. */
import { done } from '../../../src/model/fault.ts';
import { limits } from '../../../src/model/limits.ts';
import { ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { acmeAdmin, acmeUser, admin, emptied, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const base = '/rest/v1/uc/sipuser_states';
let script: ScriptedCalls;
let token: string;

interface State {
  readonly id: string;
  readonly username: string;
  readonly status: string;
}

test.before(async () => {
  script = await ScriptedCalls.start();
  token = await script.cluster.token(acmeAdmin);
  script.on('registrar.online', ({ domain }) => done({ logins: domain === 'acme.root.test' ? ['1002', '1003'] : [] }));
  script.on('registrar.unbind', () => done({ removed: 1 }));
});

test('the list has every SIP user of the domain, online where it is registered', async (t) => {
  const states = good<State[]>(t, await script.cluster.ask(`GET ${base}`, { token }));
  t.deepEqual(
    states.map(({ username }) => username),
    ['1001', '1002', '1003', '1004', '1005', '1006', '1007', '1008', '1009', '1010'],
  );
  t.deepEqual(
    states.filter(({ status }) => status === 'online').map(({ username }) => username),
    ['1002', '1003'],
  );
  t.is(new Set(states.map(({ id }) => id)).size, 10);
  for (const state of states) t.deepEqual(Object.keys(state), ['id', 'username', 'status']);
  const filter = encodeURIComponent('["==",["property","status"],"online"]');
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}?filter=${filter}&countonly`, { token })), { count: 2 });
  const page = `GET ${base}?order={"username":"desc"}&mask=username&limit=1&offset=1`;
  t.deepEqual(good(t, await script.cluster.ask(page, { token })), [{ username: '1009' }]);
});

test('where sr gives its logins in pieces all of them count', async (t) => {
  const whole = ({ domain }: { domain: string }) =>
    done({ logins: domain === 'acme.root.test' ? ['1002', '1003'] : [] });
  script.on('registrar.online', (_, { instance }) =>
    done({ logins: ['1004'], rest: { name: 'r1', at: instance.address } }),
  );
  script.on('registrar.rest', ({ rest }) => done({ items: rest === 'r1' ? ['1006'] : [] }));
  const states = good<State[]>(t, await script.cluster.ask(`GET ${base}`, { token }));
  const online = states.filter(({ status }) => status === 'online').map(({ username }) => username);
  script.on('registrar.online', whole);
  t.deepEqual(online, ['1004', '1006']);
});

test('one is shown by its id, and its registrations are dropped', async (t) => {
  const states = good<State[]>(t, await script.cluster.ask(`GET ${base}`, { token }));
  const [, second] = states;
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}/${second?.id}`, { token })), second);
  t.deepEqual(good(t, await script.cluster.ask(`GET ${base}/${second?.id.toUpperCase()}`, { token })), second);
  script.asked.length = 0;
  emptied(t, await script.cluster.ask(`DELETE ${base}/${second?.id}`, { token, at: 'south' }));
  t.deepEqual(script.take('registrar.unbind') as unknown, [
    { at: 'sr-317', body: { domain: 'acme.root.test', login: '1002' } },
  ]);
  for (const id of ['1002', 'x', '00000000-0000-0000-0000-000000000000']) {
    refused(t, await script.cluster.ask(`GET ${base}/${id}`, { token }), 404, /^no SIP user with id "/);
    refused(t, await script.cluster.ask(`DELETE ${base}/${id}`, { token }), 404);
  }
  t.deepEqual(script.take('registrar.unbind'), []);
});

test('a user reads them, an administrator drops them, and the master domain has none', async (t) => {
  const user = await script.cluster.token(acmeUser);
  const [first] = good<State[]>(t, await script.cluster.ask(`GET ${base}`, { token: user }));
  refused(t, await script.cluster.ask(`DELETE ${base}/${first?.id}`, { token: user }), 403, /role admin/);
  const master = await script.cluster.token(admin);
  refused(t, await script.cluster.ask(`GET ${base}`, { token: master }), 403, /working domain/);
  refused(t, await script.cluster.ask(`GET ${base}`), 401);
});

test('a change of a SIP user whose devices are not to be had is answered within the deadline of a request', async (t) => {
  const { cluster } = script;
  const [user] = good<State[]>(t, await cluster.ask(`GET ${base}?limit=1`, { token }));
  script.on('registrar.lookup', () => new Promise(() => {}));
  const mend = cluster.world.faults.slowStore(['h3'], 4_000);
  const path = `/rest/v1/uc/sipusers/${user?.id}`;
  const answer = await cluster.ask(`PATCH ${path}`, { token, json: { opts: { comment: 'slow' } } });
  mend();
  t.like(good(t, answer), { opts: { comment: 'slow' } });
  t.regex(answer.headers.get('x-missing-sites') ?? '', /hq/);
  t.true(answer.tookMs > 4_000 && answer.tookMs <= 5_000, `${answer.tookMs} ms`);
});

test('without sr in reach, the role is named', async (t) => {
  const { world } = script.cluster;
  for (const node of ['h3', 's1', 's2', 'n2']) world.faults.crashNode(node);
  await world.wait(15_000);
  for (const instance of ['sr-129', 'sr-217']) world.faults.crashInstance(instance);
  await world.wait(100);
  refused(
    t,
    await script.cluster.ask(`GET ${base}`, { token, at: 'north' }),
    503,
    /^sr is not reachable from site north$/,
  );
});

test('the SIP users of a domain may be more than go into one message between nodes', async (t) => {
  const { cluster } = script;
  const name = 'n'.repeat(1_000);
  const count = Math.ceil(limits.frameBytes / name.length);
  for (let n = 0; n < count; n += 1) {
    const json = { name, login: `many-${n}`, pwd: 'secret', phonenumber: `88${n}` };
    good(t, await cluster.ask('POST /rest/v1/uc/sipusers', { token, json }));
  }
  for (const at of ['hq', 'north']) {
    const states = good<State[]>(t, await cluster.ask(`GET ${base}?limit=10000`, { token, at }));
    t.is(states.length, count + 10);
    t.is(new Set(states.map(({ id }) => id)).size, count + 10);
  }
});
