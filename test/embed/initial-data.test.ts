/** What a cluster begins with: domains, users, rules, scripts, files and calls from a file, and the settings for tests. */
import { startCluster, type TestCluster } from '../../sim/embed/test-cluster.ts';
import { scopedTest } from '../kit/scoped.ts';
import { writeFile } from '../topology/edits.ts';
import { ask, callTo, credentials } from './kit.ts';

const data = `domains:
  - name: acme.root.test
    users: [ { login: boss, pwd: boss, roles: [admin] } ]
    sipusers: [ { login: '1201', phonenumber: '1201' } ]
    parkingfiles: [ { name: hold.wav, base64: UklGRg== } ]
    numbers: { '1201': { answerMs: 0 } }
    unknownNumbers: refuse
    items:
      recordrule: [ { priority: 1, tonumber: '1002', rec: 1 } ]
      selector: [ { displayname: weekly, timestartutc: '2027-01-01T09:00:00Z', topology_mode: direct } ]
      svcscript:
        - name: hello
          code: hello
          components: [ { name: begin, type: start, next: done }, { name: done, type: code, code: response_code = 204 } ]
  - name: shop.root.test
    users: [ { login: admin, pwd: admin, roles: [admin] } ]
    sipusers: [ { login: '2001', phonenumber: '2001' }, { login: '2002', phonenumber: '2002' } ]
calls:
  - { from: acme.root.test/1001, to: '1201' }
  - { from: shop.root.test/2001, to: '2002' }
`;

const test = scopedTest();
let cluster: TestCluster;

test.before(async (t) => {
  cluster = await startCluster({ initialData: writeFile(t, 'seed.yaml', data), oracles: [] });
});
test.after(() => cluster.stop());

const boss = { ...credentials, login: 'boss', pwd: 'boss' };

/** What a client sees of it. */
async function seen() {
  const acme = await cluster.client({ site: 'north', ...boss });
  const shop = await cluster.client({ site: 'south', ...credentials, domain: 'shop.root.test' });
  const file = await cluster.fetch('south', '/rest/v1/fs/targets/parking/hold.wav', {
    headers: { authorization: `Bearer ${acme.token}` },
  });
  return {
    rules: await acme.recordRules.list({ mask: ['tonumber'] }),
    scripts: await acme.serviceScripts.list({ mask: ['name'] }),
    selectors: await acme.selectors.list({ mask: ['displayname'] }),
    file: await file.text(),
    logins: (await shop.sipUsers.list({ mask: ['login'] })).map(({ login }) => login),
    calls: [await acme.calls.count(), await shop.calls.count()],
  };
}

const begun = {
  rules: [{ tonumber: '1002' }],
  scripts: [{ name: 'hello' }],
  selectors: [{ displayname: 'weekly' }],
  file: 'RIFF',
  logins: ['2001', '2002'],
  calls: [1, 1],
};

test('a cluster begins with the domains, users, rules, scripts, files and calls of a file', async (t) => {
  t.deepEqual(await seen(), begun);
});

test('a number that the domain does not have is refused with 404, if the domain says so', async (t) => {
  const { session_token: token } = (
    await ask(cluster, 'POST /rest/v1/iam/sessions', { json: { ...boss, session_type: 'token' } })
  ).body;
  t.regex(String((await callTo(cluster, '0049301', String(token)))['last_response']), /404/);
});

test('a fork has the same past, and a reset returns to the file', async (t) => {
  const fork = await cluster.fork();
  t.is(fork.traceHash, cluster.traceHash);
  await fork.stop();
  await cluster.phone('1001').hangUp();
  await cluster.numbers.set('acme.root.test', '1201', { reject: 486 });
  await cluster.clock.advance('1s');
  t.not(cluster.phone('1201').calls.length, 1);
  await cluster.reset();
  t.deepEqual(await seen(), begun);
});

const wrong: readonly (readonly [line: string, changed: string, message: RegExp])[] = [
  ["tonumber: '1002'", 'form: 1', /seed\.yaml:9:\d+ domains\[0\]\.items\.recordrule\[0\].*form/],
  [
    'recordrule:',
    'recordrules:',
    /seed\.yaml:9:\d+ .*expected the kind of an entity \(recordrule, .*; did you mean "recordrule"\?/,
  ],
  ['next: done', 'next: nowhere', /seed\.yaml:14:\d+ .*nowhere/],
  ['login: boss', "login: 'the boss'", /seed\.yaml:3:\d+ .*login: expected 1 to 100 characters/],
  ["phonenumber: '2002'", "phonenumber: '2001'", /seed\.yaml:17:\d+ .*"2001" is taken/],
  ['name: shop.root.test', 'name: shop.example', /seed\.yaml:15:\d+ .*shop\.example/],
  ['calls:\n', 'call:\n', /seed\.yaml:18:1 .*call/],
  ["to: '1201'", "to: '1009'", /calls\[0\]: acme\.root\.test\/1001 calls 1009: expected an answer, got 486/],
  ['from: acme.root.test/1001', 'from: acme.root.test/9999', /calls\[0\]: .*no phone or provider is named/],
];

test('an error in the file is reported with line and column, and what was expected', async (t) => {
  for (const [line, changed, message] of wrong) {
    t.true(data.includes(line), line);
    const file = writeFile(t, 'seed.yaml', data.replace(line, changed));
    await t.throwsAsync(startCluster({ initialData: file, oracles: [] }), { message }, changed);
  }
  await t.throwsAsync(startCluster({ initialData: { domains: [{ name: 'acme.root.test', users: [{}] }] } }), {
    instanceOf: TypeError,
    message: /initialData|domains\[0\]\.users\[0\]/,
  });
});

test('without bans a client may fail to log in as often as it likes', async (t) => {
  await using lax = await startCluster({ bans: false, oracles: [] });
  const json = { ...credentials, session_type: 'token' };
  for (let failures = 0; failures < 20; failures += 1) {
    t.is((await ask(lax, 'POST /rest/v1/iam/sessions', { json: { ...json, pwd: 'wrong' } })).status, 401);
  }
  t.is((await ask(lax, 'POST /rest/v1/iam/sessions', { json })).status, 200);
});
