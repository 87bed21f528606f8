/** The current session: what it says of itself, switching its domain, ending it, and which of two ids counts. */
import type { ExecutionContext } from 'ava';
import { appZip } from '../../../sim/docs/examples/walked-interface.ts';
import {
  type Answer,
  acmeAdmin,
  acmeUser,
  admin,
  cookieIn,
  current,
  emptied,
  FrontCluster,
  good,
  guest,
  httpDate,
  nodes,
  oneNode,
  refused,
  user,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const hourMs = 3_600_000;
let cluster: FrontCluster;
/** Solutions that the web apps were asked for. */
const solutions: string[] = [];

function app(name: string, order: number, roles: string[], more: object = {}) {
  const common = { description: `About ${name}`, icon: `/icons/${name}.svg`, 'fa-icon': `fa-${name}`, url: `/${name}` };
  return { name, order, roles, ...common, ...more };
}

const phone = app('phone', 1, ['user', 'admin'], { beta: true, menu: { left: ['a'] } });
const reports = app('reports', 2, ['admin']);

test.before(async () => {
  const webApps = (solution: string) => {
    solutions.push(solution);
    return [phone, reports];
  };
  cluster = await FrontCluster.start({ topology: oneNode, webApps });
});

/** Failures of the test before are forgotten. */
test.beforeEach(() => cluster.world.wait(180_000));

async function look(t: ExecutionContext, asked: { token?: string; cookie?: string }): Promise<Record<string, unknown>> {
  return good(t, await cluster.ask(`GET ${current}`, asked));
}

function switchTo(domain: unknown, asked: { token?: string; cookie?: string }): Promise<Answer> {
  return cluster.ask(`PATCH ${current}`, { ...asked, json: { domain } });
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

test('a session describes itself with exactly the documented fields', async (t) => {
  const { user_id, name_login, ...rest } = await look(t, { token: await cluster.token() });
  t.regex(user_id as string, uuid);
  t.regex(name_login as string, /Administrator/);
  t.regex(name_login as string, /admin/);
  t.deepEqual(rest, {
    domain: 'root.test',
    domain_is_master: true,
    domains: [
      { domain: 'root.test', is_master: true },
      { domain: 'acme.root.test', is_master: false },
      { domain: 'west.acme.root.test', is_master: false },
      { domain: 'globex.root.test', is_master: false },
    ],
    login: 'admin',
    name: 'Administrator',
    roles: ['admin'],
    solution: 'master',
    tags: ['night', 'berlin'],
    webapps: [phone, reports],
  });
});

test('an administrator reaches the own domain and what is below it, not above or beside', async (t) => {
  const { domains } = await look(t, { token: await cluster.token(acmeAdmin) });
  t.deepEqual(domains, [
    { domain: 'acme.root.test', is_master: false },
    { domain: 'west.acme.root.test', is_master: false },
  ]);
});

test('a user reaches the own domain only', async (t) => {
  const { domains, roles, tags } = await look(t, { token: await cluster.token(user) });
  t.deepEqual(domains, [{ domain: 'root.test', is_master: true }]);
  t.deepEqual(roles, ['user']);
  t.deepEqual(tags, []);
});

test('the same user has the same id in every session, another user and another domain another', async (t) => {
  const ids: unknown[] = [];
  for (const who of [admin, admin, user, acmeAdmin, acmeUser]) {
    ids.push((await look(t, { token: await cluster.token(who) }))['user_id']);
  }
  t.is(ids[0], ids[1]);
  t.is(new Set(ids).size, 4);
});

test('a user with only a custom role may read the session and end it', async (t) => {
  const token = await cluster.token(guest);
  t.like(await look(t, { token }), { roles: ['kiosk'], webapps: [] });
  emptied(t, await cluster.ask(`DELETE ${current}`, { token }));
});

test('web applications are those of the current solution that the roles open, by display order', async (t) => {
  const acme = { token: await cluster.token(acmeUser) };
  solutions.length = 0;
  t.like(await look(t, acme), { solution: 'callcenter', webapps: [phone] });
  t.deepEqual(solutions, ['callcenter']);
  const root = { token: await cluster.token(admin) };
  emptied(t, await switchTo('acme.root.test', root));
  t.like(await look(t, root), { solution: 'callcenter', webapps: [phone, reports] });
});

test('the metadata that ships has applications of every solution, with the documented fields, in order', async (t) => {
  const shipped = await FrontCluster.start({ outside: false });
  for (const who of [admin, user, acmeAdmin, acmeUser]) {
    const answer = await shipped.ask(`GET ${current}`, { token: await shipped.token(who) });
    const { webapps } = good<{ webapps: Record<string, unknown>[] }>(t, answer);
    t.true(webapps.length > 0);
    const orders = webapps.map((each) => each['order'] as number);
    t.deepEqual(
      orders,
      orders.toSorted((a, b) => a - b),
    );
    for (const each of webapps) {
      for (const name of ['name', 'description', 'icon', 'fa-icon', 'url']) t.is(typeof each[name], 'string', name);
      t.true((each['roles'] as string[]).includes(who.login), 'role and login go by the same name here');
    }
  }
});

test('every icon and launch URL of the web applications of a session answers 200', async (t) => {
  const shipped = await FrontCluster.start({ outside: false });
  t.teardown(() => shipped.world.stop());
  const maker = { token: await shipped.token(acmeAdmin) };
  const named = { folder: 'desk', title: 'Desk' };
  const made = good<{ id: string }>(
    t,
    await shipped.ask('POST /rest/v1/domain/roleapps', {
      ...maker,
      json: named,
    }),
  );
  const zip = appZip();
  const headers = { 'content-type': zip.type };
  const put = `PUT /rest/v1/domain/roleapps/${made.id}/attachment`;
  good(t, await shipped.ask(put, { ...maker, headers, raw: zip.body }));
  const get = (path: string | undefined, token: string) =>
    shipped.world.request(
      'hq',
      new Request(`http://hq${path}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    );
  const types: Readonly<Record<string, RegExp>> = {
    icon: /^image\/svg\+xml/,
    url: /^text\/html/,
  };
  for (const who of [admin, user, acmeAdmin, acmeUser]) {
    const asked = { token: await shipped.token(who) };
    const { webapps } = good<{ webapps: Record<string, string>[] }>(t, await shipped.ask(`GET ${current}`, asked));
    t.is(
      webapps.some(({ name }) => name === 'Desk'),
      who.domain === 'acme.root.test',
    );
    for (const app of webapps)
      for (const [name, type] of Object.entries(types)) {
        const answer = await get(app[name], asked.token);
        t.is(answer.status, 200, `${app['name']}: ${name} ${app[name]}`);
        t.regex(answer.headers.get('content-type') ?? '', type);
        // A page names what it needs by path.
        for (const [, path] of (await answer.text()).matchAll(/(?:src|href)="(\/[^"]*)"/g))
          t.is((await get(path, asked.token)).status, 200, path);
      }
  }
  for (const path of [
    'icons/never.svg',
    'icons',
    'icons/',
    '../webapps.json',
    '..%2fcommon%2fwebapps.json',
    '__proto__',
  ])
    t.regex(String((await get(`/static/${path}`, maker.token)).status), /^40[04]$/, path);
});

test('the header wins over the cookie', async (t) => {
  const token = await cluster.token(acmeAdmin);
  const cookie = await cluster.cookie(user);
  t.like(await look(t, { token, cookie }), { domain: 'acme.root.test', login: 'admin' });
  t.like(await look(t, { token, cookie: 'never-was' }), { domain: 'acme.root.test', login: 'admin' });
});

const badHeaders = ['Bearer never-was', 'Bearer', 'Bearer ', 'Basic YWRtaW46YWRtaW4=', '', 'never-was', 'Bearer a b'];

for (const authorization of badHeaders) {
  test(`a good cookie does not rescue the header "${authorization}"`, async (t) => {
    const cookie = await cluster.cookie();
    for (const line of [`GET ${current}`, `PATCH ${current}`, `DELETE ${current}`, `GET ${nodes}`]) {
      const asked = {
        cookie,
        headers: { authorization },
        ...(line.startsWith('PATCH') && { json: { domain: 'root.test' } }),
      };
      refused(t, await cluster.ask(line, asked), 401);
    }
    t.is(await cluster.statusOf({ cookie }), 200, 'its session goes on');
  });
}

test('the scheme is Bearer in any case', async (t) => {
  const token = await cluster.token();
  for (const scheme of ['bearer', 'BEARER']) {
    t.is((await cluster.ask(`GET ${current}`, { headers: { authorization: `${scheme} ${token}` } })).status, 200);
  }
});

test('RSession is found among other cookies, and under its exact name only', async (t) => {
  const id = await cluster.cookie();
  const header = (cookie: string) => cluster.ask(`GET ${current}`, { headers: { cookie } });
  t.is((await header(`a=b; RSession=${id}; c=d`)).status, 200);
  t.is((await header(`XRSession=${id}; RSession2=${id}`)).status, 401);
  t.is((await header(`rsession=${id}`)).status, 401);
});

test('two different RSession cookies are refused; the same one twice, or beside a deleted one, is one', async (t) => {
  const [one, other] = [await cluster.cookie(), await cluster.cookie()];
  const header = (cookie: string) => cluster.ask(`GET ${current}`, { headers: { cookie } });
  refused(
    t,
    await header(`RSession=${one}; RSession=${other}`),
    400,
    /^cookie: expected one RSession, got 2 different/,
  );
  t.is((await header(`RSession=${one}; RSession=${one}`)).status, 200);
  t.is((await header(`RSession=deleted; RSession=${one}`)).status, 200);
});

for (const method of ['GET', 'PATCH', 'DELETE']) {
  test(`${method} without a session answers 401`, async (t) => {
    const asked = method === 'PATCH' ? { json: { domain: 'root.test' } } : {};
    refused(t, await cluster.ask(`${method} ${current}`, asked), 401);
    refused(t, await cluster.ask(`${method} ${current}`, { ...asked, cookie: 'never-was' }), 401);
    refused(t, await cluster.ask(`${method} ${current}`, { ...asked, token: 'never-was' }), 401);
  });
}

test('PATCH by cookie binds the session to another domain and sets the cookie anew', async (t) => {
  const cookie = await cluster.cookie();
  await cluster.world.wait(60_000);
  const answer = await switchTo('acme.root.test', { cookie });
  emptied(t, answer);
  const { id, attributes } = cookieIn(answer);
  t.is(id, cookie, 'it is the same session');
  t.is(attributes, `Expires=${httpDate(cluster.world.now() + hourMs)}; Path=/; SameSite=Strict; HttpOnly`);
  t.like(await look(t, { cookie }), { domain: 'acme.root.test', domain_is_master: false, solution: 'callcenter' });
});

test('PATCH by token switches the session of the token, not that of the cookie beside it', async (t) => {
  const token = await cluster.token();
  const cookie = await cluster.cookie();
  const answer = await switchTo('globex.root.test', { token, cookie });
  emptied(t, answer);
  t.is(cookieIn(answer).id, token);
  t.like(await look(t, { token }), { domain: 'globex.root.test' });
  t.like(await look(t, { cookie }), { domain: 'root.test' });
});

test('in a child domain the paths of the master are refused, and back in the master domain open again', async (t) => {
  const token = await cluster.token();
  t.is((await cluster.ask(`GET ${nodes}`, { token })).status, 200);
  emptied(t, await switchTo('acme.root.test', { token }));
  refused(t, await cluster.ask(`GET ${nodes}`, { token }), 403, /acme\.root\.test/);
  t.deepEqual((await look(t, { token }))['domains'], (await look(t, { token: await cluster.token() }))['domains']);
  emptied(t, await switchTo('west.acme.root.test', { token }));
  emptied(t, await switchTo('root.test', { token }));
  t.is((await cluster.ask(`GET ${nodes}`, { token })).status, 200);
});

test('a domain out of reach is refused with 403, and the session stays where it was', async (t) => {
  const tries: [typeof admin, unknown][] = [
    [acmeAdmin, 'root.test'],
    [acmeAdmin, 'globex.root.test'],
    [acmeUser, 'west.acme.root.test'],
    [user, 'acme.root.test'],
    [admin, 'nowhere.test'],
    [admin, ''],
    [admin, 'me.root.test'],
  ];
  for (const [who, domain] of tries) {
    const token = await cluster.token(who);
    refused(t, await switchTo(domain, { token }), 403, /domain/);
    t.like(await look(t, { token }), { domain: who.domain });
  }
});

test('switching to the domain that one is in is no error', async (t) => {
  const token = await cluster.token(user);
  emptied(t, await switchTo('root.test', { token }));
});

test('a malformed PATCH answers 400 and says where', async (t) => {
  const token = await cluster.token();
  const patch = `PATCH ${current}`;
  refused(t, await cluster.ask(patch, { token }), 400, /^body: /);
  refused(t, await cluster.ask(patch, { token, json: {} }), 400, /^domain: expected string, got nothing$/);
  refused(t, await cluster.ask(patch, { token, json: { domain: 5 } }), 400, /^domain: expected string, got 5$/);
  refused(
    t,
    await cluster.ask(patch, { token, json: { domain: 'root.test', login: 'user' } }),
    400,
    /^login: no such field/,
  );
});

test('DELETE answers 204 and a cookie of 1970; the session is over', async (t) => {
  const cookie = await cluster.cookie();
  const answer = await cluster.ask(`DELETE ${current}`, { cookie });
  emptied(t, answer);
  const { id, attributes } = cookieIn(answer);
  t.is(id, 'deleted');
  const [, date = '', rest] = /^Expires=([^;]*); (.*)$/.exec(attributes) ?? [];
  t.is(new Date(date).getUTCFullYear(), 1970);
  t.is(date, new Date(date).toUTCString(), 'in the form of HTTP dates');
  t.is(rest, 'Path=/; SameSite=Strict; HttpOnly');
  for (const method of ['GET', 'DELETE']) refused(t, await cluster.ask(`${method} ${current}`, { cookie }), 401);
});

test('DELETE by token ends the session of the token, not that of the cookie beside it', async (t) => {
  const token = await cluster.token();
  const cookie = await cluster.cookie();
  const answer = await cluster.ask(`DELETE ${current}`, { token, cookie });
  emptied(t, answer);
  t.is(cookieIn(answer).id, 'deleted');
  t.is(await cluster.statusOf({ token }), 401);
  t.is(await cluster.statusOf({ cookie }), 200);
});
