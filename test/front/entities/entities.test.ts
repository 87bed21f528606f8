/** Every entity of the interface by its six operations: what it begins as, what changes it, what is refused. */
import type { ExecutionContext } from 'ava';
import { entities } from '../../../src/model/entities/entities.ts';
import { EntityClient, type Item } from '../../kit/data/entities.ts';
import { acmeUser, admin, emptied, FrontCluster, good, refused, user } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const someId = '0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11';

let cluster: FrontCluster;

test.before(async () => {
  cluster = await FrontCluster.start({ outside: false });
});

/** A client whose items are deleted after the test. */
async function open(t: ExecutionContext, kind: string): Promise<EntityClient> {
  const client = await EntityClient.open(cluster, kind);
  t.teardown(() => client.clear());
  return client;
}

/** What the interface shows of a new item beside `id` and `ext`, given the least that it takes. */
const begun: Readonly<Record<string, Record<string, unknown>>> = {
  chatcampaign: {
    code: 'sales',
    name: '',
    projectid: '00000000-0000-0000-0000-000000000000',
    ...Object.fromEntries(
      ['autobot', 'queuebot', 'dialogbot', 'inactivebot', 'rotationbot', 'finalbot', 'stopbot'].map((n) => [n, '']),
    ),
    ...{ gethistoryscr: '', searchhistoryscr: '', ctxmenuscr: '', defaulthuntuser: '' },
    opts: { title: '', comment: '' },
  },
  borderrule: {
    priority: 0,
    site: '*',
    domain: '',
    username: '',
    useragent: '',
    remoteipmask: '',
    action: 'deny',
    enabled: 1,
    opts: { title: '', comment: '' },
  },
  roleapp: {
    title: '',
    folder: 'desk',
    archive: { _links: { self: { href: `/rest/v1/domain/roleapps/${someId}/attachment` } } },
    roles: [],
    svcscriptcode: '',
    opts: { title: '', comment: '', recv_timeout: 10 },
  },
  user: {
    name: 'Ann Lee',
    login: 'ann',
    pwd: '*',
    timezone: 'default',
    opts: {
      title: '',
      comment: '',
      roles: [],
      tags: [],
      allow_script_crud: false,
      chat_dlg_limit: 0,
      chat_dlg_mode: 0,
      chat_full_limit: 0,
    },
  },
  recordrule: {
    priority: 0,
    dir: '',
    fromnumber: '',
    tonumber: '',
    crossdomain: '',
    rec: 0,
    storageruleid: '00000000-0000-0000-0000-000000000000',
    schedule: 'all',
    periods: [],
    opts: { title: '', comment: '' },
  },
  sipuser: {
    name: '',
    login: '2001',
    pwd: 'sip',
    phonenumber: '2001',
    reg: 1,
    devices: [],
    iduser: '00000000-0000-0000-0000-000000000000',
    lic: { devices: 2 },
    timezone: 'default',
    opts: {
      title: '',
      comment: '',
      calltimesec: 30,
      dlgtimesec: 0,
      trunks: -1,
      maxexpires: 3_600,
      minexpires: 30,
      modextin: '',
      modextout: '',
      agat_chassis_id: '',
      agat_lm_id: '',
      agat_port_id: '',
    },
  },
  selector: {
    state: 'waiting',
    displayname: '',
    enabled: true,
    timestartutc: '2030-01-01T09:00:00Z',
    calldurationsec: 0,
    calltimeout: 35,
    topology_mode: 'direct',
    mediafile: '',
    default_mic: true,
    default_spk: true,
    default_recall: false,
    comment: '',
  },
  svcscript: {
    code: 'hello',
    name: '',
    components: [{ name: 'start', type: 'start' }],
    opts: { title: '', comment: '' },
  },
  ivrscript: {
    code: 'hello',
    name: '',
    number: '',
    components: [{ name: 'start', type: 'start' }],
    opts: { title: '', comment: '' },
  },
  integrationchannel: {
    code: 'crm',
    type: 'public',
    token_local: 'a-token-of-the-crm',
    svcscriptcode: '',
    opts: { title: '', comment: '', recv_timeout: 10 },
  },
  contactgroup: { code: 'sales', name: '', members: [], opts: { title: '', comment: '' } },
  participant: {
    name: '',
    number: '1001',
    mic: true,
    spk: true,
    recall: false,
    video_out: false,
    video_cell: 0,
    topology_type: 'listener',
  },
};

for (const { kind } of entities) {
  test(`${kind}: a create fills in what is not given, and shows the item`, async (t) => {
    const client = await open(t, kind);
    const item = good<Item>(t, await client.ask('POST', { json: { ...client.least, id: someId } }));
    const { id, ext, ...rest } = item;
    t.is(id, someId);
    t.deepEqual(rest, begun[kind]);
    t.is(ext.ct, ext.lwt);
    t.regex(ext.ct, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const shown = good<Item>(t, await client.ask(`GET /${someId}`));
    t.deepEqual(withoutState(shown), item);
    refused(t, await client.ask('POST', { json: { ...client.least, id: someId } }), 409, /^id: .* is taken$/);
    t.not((await client.create(other(kind))).id, someId);
  });

  test(`${kind}: a patch merges objects and replaces arrays; lwt moves forward, ct stays`, async (t) => {
    const client = await open(t, kind);
    const { id, ext, ...before } = await client.create();
    await cluster.world.wait(1_500);
    const after = good<Item>(t, await client.ask(`PATCH /${id}`, { json: client.patch }));
    t.deepEqual(after, { ...merged(before, client.patch), id, ext: after.ext });
    t.is(after.ext.ct, ext.ct);
    t.true(after.ext.lwt > ext.lwt);
    t.deepEqual(withoutState(good<Item>(t, await client.ask(`GET /${id}`))), after);
    const same = good<Item>(t, await client.ask(`PATCH /${id}`, { json: client.patch }));
    t.deepEqual(same, after, 'what changes nothing moves nothing');
    refused(
      t,
      await client.ask(`PATCH /${id}`, { json: { id: someId } }),
      400,
      /^id: expected nothing: it never changes/,
    );
    refused(
      t,
      await client.ask(`PATCH /${id}`, { json: { ext: {} } }),
      400,
      /^ext: expected nothing: only the platform/,
    );
    refused(
      t,
      await client.ask(`PATCH /${id}`, { json: { nosuch: 1 } }),
      400,
      /^nosuch: no such field here, expected one of /,
    );
  });

  test(`${kind}: a removed item is gone, by every operation`, async (t) => {
    const client = await open(t, kind);
    const { id } = await client.create();
    emptied(t, await client.ask(`DELETE /${id}`));
    for (const line of [`GET /${id}`, `DELETE /${id}`]) refused(t, await client.ask(line), 404, /with id/);
    refused(t, await client.ask(`PATCH /${id}`, { json: {} }), 404, /with id/);
    t.false((await client.list()).some((item) => item.id === id));
    t.is((await client.create({ id })).id, id, 'its id and its keys are free again');
  });

  test(`${kind}: LOOKUP finds by each key, and answers 404 in the documented words`, async (t) => {
    const client = await open(t, kind);
    const item = await client.create();
    if (client.entity.operations.lookup === undefined) {
      refused(t, await client.ask('LOOKUP', { json: item.id }), 405);
      return;
    }
    for (const name of client.entity.lookup) {
      t.deepEqual(good(t, await client.ask('LOOKUP', { json: item[name] })), [item.id], name);
    }
    const answer = await client.ask('LOOKUP', { json: 'unknown' });
    t.is(answer.status, 404);
    t.deepEqual(answer.body, { error_code: 1404, error_message: 'Lookup failed' });
    for (const json of [{ id: item.id }, '', null, 5]) refused(t, await client.ask('LOOKUP', { json }), 400, /a key/);
  });

  test(`${kind}: what is unknown, wrong, or only the platform's to set is refused`, async (t) => {
    const client = await open(t, kind);
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ nosuch: 1 }, /^nosuch: no such field here, expected one of /],
      [{ id: 'x' }, /^id: expected a uuid, got "x"$/],
      [{ id: '00000000-0000-0000-0000-000000000000' }, /^id: expected a uuid that is not all zeros, got "0/],
      [{ ext: { ct: '2030-01-01T00:00:00.000Z' } }, /^ext: expected nothing/],
      ...outFields(kind).map((name): [Record<string, unknown>, RegExp] => [
        { [name]: true },
        /: expected nothing: only/,
      ]),
    ];
    for (const [more, message] of wrong) {
      refused(t, await client.ask('POST', { json: { ...client.least, ...more } }), 400, message);
    }
    for (const json of [[], 'x', null]) refused(t, await client.ask('POST', { json }), 400);
    for (const name of Object.keys(client.least)) {
      const { [name]: _left, ...rest } = client.least;
      const answer = await client.ask('POST', { json: rest });
      if (answer.status === 400) t.regex(answer.text, new RegExp(`"${name}: expected`));
      else t.is(name, 'phonenumber', 'all else is required');
    }
  });

  test(`${kind}: a value that must be unique is taken once`, async (t) => {
    const client = await open(t, kind);
    const taken: Record<string, unknown> = { number: '700', ...client.least };
    const { unique } = client.entity;
    await client.create(Object.fromEntries(unique.map((name) => [name, taken[name]])));
    const second = await client.create(other(kind));
    for (const name of unique) {
      const json = { ...client.least, ...other(kind, 3), [name]: taken[name] };
      refused(t, await client.ask('POST', { json }), 409, new RegExp(`^${name}: ".*" is taken$`));
      const patch = { [name]: taken[name] };
      refused(t, await client.ask(`PATCH /${second.id}`, { json: patch }), 409, new RegExp(`^${name}: ".*" is taken$`));
      good(t, await client.ask(`PATCH /${second.id}`, { json: { [name]: second[name] } }));
    }
    t.pass();
  });

  test(`${kind}: a user reads and does not change; the wrong kind of domain gets 403`, async (t) => {
    const client = await open(t, kind);
    const { id } = await client.create();
    const reader = await cluster.token(client.entity.domain === 'master' ? user : acmeUser);
    good(t, await client.ask('GET', { token: reader }));
    good(t, await client.ask(`GET /${id}`, { token: reader }));
    refused(t, await client.ask('POST', { token: reader, json: client.least }), 403, /access role admin/);
    refused(t, await client.ask(`PATCH /${id}`, { token: reader, json: client.patch }), 403, /access role admin/);
    refused(t, await client.ask(`DELETE /${id}`, { token: reader }), 403, /access role admin/);
    const elsewhere = await cluster.token(
      client.entity.domain === 'master' ? { ...admin, domain: 'acme.root.test' } : admin,
    );
    const answer = await client.ask('GET', { token: elsewhere });
    if (client.entity.domain === 'any') t.true([200, 404].includes(answer.status), answer.text);
    else refused(t, answer, 403, /this path is for/);
    refused(t, await cluster.ask(`GET ${client.base}`), 401);
  });
}

function outFields(kind: string): string[] {
  return { roleapp: ['archive'], selector: ['state'], participant: ['state', 'hold', 'is_hand_raised'] }[kind] ?? [];
}

/** What makes another item of a kind differ where it must. */
function other(kind: string, number = 2): Record<string, unknown> {
  const unique = entities.find((entity) => entity.kind === kind)!.unique;
  const value = (name: string) => (name === 'number' ? `70${number}` : `other-than-the-first-${number}`);
  return Object.fromEntries(unique.map((name) => [name, value(name)]));
}

/** The answers to POST and PATCH of a participant leave out what GET shows. */
function withoutState(item: Item): Record<string, unknown> {
  if (!('is_hand_raised' in item)) return item;
  const { state: _state, hold: _hold, is_hand_raised: _raised, ...rest } = item;
  return rest;
}

function merged(into: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  const result = { ...into };
  for (const [name, value] of Object.entries(patch)) {
    const isObject = typeof value === 'object' && !Array.isArray(value);
    result[name] = isObject ? { ...(into[name] as object), ...(value as object) } : value;
  }
  return result;
}

test('an item of another domain, or of another meeting, is not there', async (t) => {
  const client = await open(t, 'sipuser');
  const { id } = await client.create();
  const globex = await cluster.token({ domain: 'globex.root.test', login: 'admin', pwd: 'admin' });
  for (const line of [`GET /${id}`, `DELETE /${id}`]) refused(t, await client.ask(line, { token: globex }), 404);
  refused(t, await client.ask('LOOKUP', { token: globex, json: '2001' }), 404, /Lookup failed/);
  good(t, await client.ask('POST', { token: globex, json: client.least }));
  const meeting = await open(t, 'participant');
  const { id: bob } = await meeting.create();
  const another = await open(t, 'participant');
  refused(t, await another.ask(`GET /${bob}`), 404);
  t.deepEqual(await another.list(), []);
  refused(
    t,
    await cluster.ask(`GET ${client.base}/../selectors/${someId}/participants`, { token: meeting.token }),
    404,
  );
});

test('a meeting takes its participants with it, and goes by both of its paths', async (t) => {
  const client = await open(t, 'participant');
  const { id } = await client.create();
  const meeting = client.base.replace('/participants', '');
  const alias = client.base.replace('/uc/', '/api/');
  t.is(good<Item>(t, await cluster.ask(`GET ${alias}/${id}`, { token: client.token })).id, id);
  emptied(t, await cluster.ask(`DELETE ${meeting}`, { token: client.token }));
  refused(t, await client.ask(`GET /${id}`), 404);
  refused(t, await client.ask('GET'), 404, /no selector meeting with id/);
  refused(t, await client.ask('POST', { json: client.least }), 404, /no selector meeting with id/);
});

test('a border rule names a site of the cluster, or all', async (t) => {
  const client = await open(t, 'borderrule');
  for (const site of ['', '*', 'north']) t.is((await client.create({ site }))['site'], site);
  const words = /^site: expected empty, "\*" or a site \(hq, north, south\), got "nort"/;
  refused(t, await client.ask('POST', { json: { ...client.least, site: 'nort' } }), 400, words);
  const { id } = await client.create();
  refused(t, await client.ask(`PATCH /${id}`, { json: { site: 'nort' } }), 400, words);
});

test('a LOOKUP with the form type of curl -d is read as JSON; another body is refused with the type to send', async (t) => {
  const client = await open(t, 'sipuser');
  const { id } = await client.create();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const ask = (line: string, raw: string) => cluster.ask(line, { token: client.token, raw, headers });
  t.deepEqual(good<string[]>(t, await ask(`LOOKUP ${client.base}`, '"2001"')), [id]);
  refused(t, await ask(`LOOKUP ${client.base}`, '2001'), 400, /as a JSON string in quotes .*got 2001/);
  refused(
    t,
    await ask(`POST ${client.base}`, '{}'),
    415,
    /which curl -d sends by default: add -H 'content-type: application\/json'/,
  );
});
