/** External authentication and logins by an external token. */
import type { ExecutionContext } from 'ava';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import {
  type Answer,
  acmeAdmin,
  admin,
  cookieIn,
  current,
  FrontCluster,
  good,
  refused,
  sessions,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';
import { type Components, ScriptAuthor } from '../../kit/scripts.ts';

const test = scopedTest();

const path = '/rest/v1/iam/external';
const at = 'north';
const domain = 'acme.root.test';

let cluster: FrontCluster;
let acme: ScriptAuthor;

/** Asks for login and domain, then for the code of a short message, then creates the session. */
const twoSteps: Components = {
  which: {
    type: 'code',
    code: 'f = startparam(4); step = f.step === undefined ? "form" : String(f.step)',
    next: 'is-form',
  },
  'is-form': { type: 'branch', condition: 'startparam(2) === "GET"', yes: 'form', no: 'is-first' },
  form: {
    type: 'assign',
    set: { fields: '[{name: "step", type: "hidden", value: 1}, {name: "login", type: "line", title: "Login"}]' },
  },
  'is-first': { type: 'branch', condition: 'step === "1"', yes: 'send', no: 'check' },
  send: { type: 'sms', to: '"+49301"', text: '"code 4711 for " + f.login', next: 'ask' },
  ask: {
    type: 'assign',
    set: {
      success: 'true',
      next_step: '2',
      fields:
        '[{name: "step", type: "hidden", value: 2}, {name: "login", type: "hidden", value: {from: {step: 1}}}, {name: "sms_phone_code", type: "line", title: "Code"}]',
    },
  },
  check: {
    type: 'branch',
    condition: '(f.phone_sms_code || f.sms_phone_code) === "4711"',
    yes: 'session',
    no: 'refuse',
  },
  refuse: {
    type: 'assign',
    set: { success: 'false', message: '"wrong code"', fields: '[{name: "step", type: "hidden", value: 2}]' },
    next: 'is-evil',
  },
  'is-evil': { type: 'branch', condition: 'f.sms_phone_code === "evil"', yes: 'ban' },
  ban: { type: 'operation', operation: 'webban.add', params: { address: 'startparam(6)', seconds: '60' } },
  session: {
    type: 'operation',
    operation: 'session.create',
    params: { domain: '"acme.root.test"', login: 'f.login' },
    next: 'done',
    failed: 'refuse',
  },
  done: { type: 'assign', set: { success: 'true', location: '"/app/desk/"', redirect: 'f.variant === 1' } },
};

test.before(async () => {
  const { map } = loadTopology('default');
  const { topology } = map;
  const domains = topology.domains.map((each) => {
    const opts = {
      iam_external_svcscript_code: each.name === domain ? 'login' : '',
      iam_token_svcscript_code: 'by-token',
    };
    return { ...each, opts: { ...each.opts, ...opts } };
  });
  cluster = await FrontCluster.start({ topology: { ...topology, domains } });
  acme = await ScriptAuthor.open(cluster, at, acmeAdmin);
});

async function submit(json: object, cookie?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(cookie && { cookie }) };
  return cluster.ask(`POST ${path}`, { at, raw: JSON.stringify({ domain, ...json }), headers });
}

function flowOf(t: ExecutionContext, answer: Answer): string {
  const [flow] = (answer.headers.get('set-cookie') ?? '').split(';');
  t.regex(flow ?? '', /^RExternal=[\w-]+$/);
  return flow ?? '';
}

/** Another script of external authentication in the place of the one before. */
async function redefine(t: ExecutionContext, components: Components): Promise<void> {
  const [id] = good<string[]>(t, await acme.ask('LOOKUP /rest/v1/domain/svcscripts', { json: 'login' }));
  await acme.ask(`DELETE /rest/v1/domain/svcscripts/${id}`);
  await acme.define('login', components);
}

test('a domain without a script of external authentication is 404', async (t) => {
  refused(t, await cluster.ask(`GET ${path}?domain=${domain}`, { at }), 404, /no script with code "login"/);
  for (const line of [`GET ${path}`, `GET ${path}?domain=globex.root.test`, `GET ${path}?domain=nowhere`]) {
    refused(t, await cluster.ask(line, { at }), 404, /has no script of external authentication/);
  }
  refused(t, await cluster.ask(`POST ${path}`, { at, json: { domain: 'globex.root.test' } }), 404);
});

test('two steps with the code of a short message end in a session', async (t) => {
  await acme.define('login', twoSteps);
  const form = good<{ fields: object[] }>(t, await cluster.ask(`GET ${path}?domain=${domain}`, { at }));
  t.deepEqual(form, {
    fields: [
      { name: 'step', type: 'hidden', value: 1 },
      { name: 'login', type: 'line', title: 'Login' },
    ],
  });
  const first = await submit({ step: 1, login: 'user' });
  t.deepEqual(good(t, first), {
    success: true,
    complete: false,
    next_step: 2,
    fields: [
      { name: 'step', type: 'hidden', value: 2 },
      { name: 'login', type: 'hidden', value: { from: { step: 1 } } },
      { name: 'sms_phone_code', type: 'line', title: 'Code' },
    ],
  });
  t.like(cluster.world.outside.sms.messages.at(-1), { to: '+49301', text: 'code 4711 for user', domain, attempts: 1 });
  const flow = flowOf(t, first);
  const wrong = await submit({ step: 2, login: { from: { step: 1 } }, sms_phone_code: '1' }, flow);
  t.deepEqual(good(t, wrong), {
    success: false,
    complete: false,
    fields: [{ name: 'step', type: 'hidden', value: 2 }],
    message: 'wrong code',
  });
  const done = await submit({ step: 2, login: { from: { step: 1 } }, phone_sms_code: '4711' }, flow);
  t.deepEqual(good(t, done), { success: true, complete: true, location: '/app/desk/' });
  const { id } = cookieIn(done);
  t.like(good(t, await cluster.ask(`GET ${current}`, { at, cookie: id })), { login: 'user', domain });
});

test('the other variant of success redirects to the main application', async (t) => {
  const done = await submit({ step: 2, login: 'user', phone_sms_code: '4711', variant: 1 });
  t.is(done.status, 302);
  t.is(done.headers.get('location'), '/app/desk/');
  t.is((await cluster.ask(`GET ${current}`, { at, cookie: cookieIn(done).id })).status, 200);
});

test('a reference holds for the flow that entered the value, for ten minutes', async (t) => {
  const json = { step: 2, login: { from: { step: 1 } }, phone_sms_code: '4711' };
  refused(t, await submit(json), 400, /^login: nothing was entered at step 1 of this flow/);
  const flow = flowOf(t, await submit({ step: 1, login: 'user' }));
  refused(t, await submit(json, 'RExternal=another-flow'), 400);
  await cluster.world.wait(590_000);
  t.is((await submit({ ...json, phone_sms_code: '1' }, flow)).status, 200);
  await cluster.world.wait(605_000);
  refused(t, await submit(json, flow), 400);
});

test('a session for a user that does not exist is a failure of the operation', async (t) => {
  t.like(good(t, await submit({ step: 2, login: 'ghost', phone_sms_code: '4711' })), {
    success: false,
    complete: false,
  });
});

test('the script bans an address by Operation; the front itself counts nothing', async (t) => {
  for (let n = 0; n < 8; n += 1) t.is((await submit({ step: 2, login: 'user', sms_phone_code: '1' })).status, 200);
  t.is((await submit({ step: 2, login: 'user', sms_phone_code: 'evil' })).status, 200);
  refused(t, await submit({ step: 1, login: 'user' }), 429);
  refused(t, await cluster.ask(`GET ${path}?domain=${domain}`, { at }), 429);
  await cluster.world.wait(200_000);
  t.is((await submit({ step: 1, login: 'user' })).status, 200);
});

test('a script that reports success without a session, or malformed fields, is 500', async (t) => {
  await redefine(t, {
    set: { type: 'assign', set: { success: 'startparam(4).bad === undefined', fields: '[{type: 5}]' } },
  });
  refused(t, await submit({}), 500, /has created no session/);
  refused(t, await submit({ bad: 1 }), 500, /^variable fields of the script: 0\.name/);
});

test('a script that creates a session, and fails then, leaves none', async (t) => {
  const open = () => {
    const counts = cluster.world.census().map(({ counts: each }) => each.get('entities.session') ?? 0);
    return counts.reduce((sum, each) => sum + each, 0);
  };
  await redefine(t, {
    session: {
      type: 'operation',
      operation: 'session.create',
      params: { domain: '"acme.root.test"', login: '"user"' },
      next: 'fails',
    },
    fails: { type: 'code', code: 'throw new Error("no")' },
  });
  const before = open();
  refused(t, await submit({}), 500, /component "fails"/);
  t.is(open(), before);
});

test('a script whose first session fails may create another one', async (t) => {
  const create = (login: string) => ({
    type: 'operation',
    operation: 'session.create',
    params: { domain: '"acme.root.test"', login },
  });
  await redefine(t, {
    first: { ...create('"ghost"'), failed: 'guest', next: 'done' },
    guest: { ...create('"user"'), next: 'done' },
    done: { type: 'assign', set: { success: 'true' } },
  });
  const answer = await submit({});
  t.like(good(t, answer), { success: true, complete: true });
  t.regex(answer.headers.get('set-cookie') ?? '', /^RSession=/);
});

test('a page of another origin cannot submit a step', async (t) => {
  const headers = { origin: 'http://evil.test', 'content-type': 'application/json' };
  refused(t, await cluster.ask(`POST ${path}`, { at, headers, raw: JSON.stringify({ domain }) }), 403);
});

test('a login by an external token opens a session for the user that the script names', async (t) => {
  const root = await ScriptAuthor.open(cluster, 'hq', admin);
  const json = { external_token: 'ticket-of-ann', session_type: 'token', domain: 'x', login: 'y', pwd: 'z' };
  const attempt = (token: string, more: object = {}) =>
    cluster.ask(`POST ${sessions}`, { at, json: { ...json, external_token: token, ...more } });
  refused(t, await attempt('ticket'), 404, /no script with code "by-token"/);
  await root.define('by-token', {
    verify: {
      type: 'code',
      code: 'r = jwtverify(startparam(1).external_token, "shared-secret", {iss: "idp"}); if (r.valid) { domain = "acme.root.test"; login = r.claims.sub }',
    },
  });
  const { createHmac } = await import('node:crypto');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (claims: object, secret = 'shared-secret') => {
    const text = `${part({ alg: 'HS256' })}.${part(claims)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const exp = cluster.world.now() / 1_000 + 60;
  const { session_token: token } = good<{ session_token: string }>(
    t,
    await attempt(signed({ sub: 'user', iss: 'idp', exp })),
  );
  t.like(good(t, await cluster.ask(`GET ${current}`, { at, token })), { login: 'user', domain });
  const answer = await cluster.ask(`POST ${sessions}`, {
    at,
    json: { external_token: signed({ sub: 'user', iss: 'idp', exp }) },
  });
  t.is(answer.status, 204, 'without session_type it sets the cookie');
  const bad = [
    signed({ sub: 'user', iss: 'idp', exp }, 'other'),
    signed({ sub: 'user', iss: 'x' }),
    signed({ sub: 'user', iss: 'idp', exp: 1 }),
    signed({ sub: 'ghost', iss: 'idp' }),
  ];
  for (const each of bad) refused(t, await attempt(each), 401, /^external_token: no user is known for it$/);
  refused(t, await attempt('x'), 401);
  refused(t, await attempt('x'), 429, /is banned/);
});
