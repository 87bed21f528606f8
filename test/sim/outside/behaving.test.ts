/** How phones and numbers behind providers behave when the platform calls them. */

import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { acme, Scene } from './scene.ts';

const phone = `${acme}/1001`;

/** The outcome of a call to a number behind the provider, with its times in milliseconds since the INVITE. */
const outcomes: readonly [number: string, comes: readonly [what: string, atMs: number][]][] = [
  [
    '4900',
    [
      ['rang 180', 0],
      ['answered', 0],
    ],
  ],
  [
    '4901',
    [
      ['rang 180', 0],
      ['answered', 1_000],
    ],
  ],
  [
    '4909',
    [
      ['rang 180', 0],
      ['answered', 9_000],
    ],
  ],
  [
    '4911',
    [
      ['answered', 0],
      ['ended remote', 5_000],
    ],
  ],
  ['4912', [['failed 408', 32_000]]],
  ['4913', [['rang 180', 0]]],
  ['4914', [['failed 302', 0]]],
  [
    '4915',
    [
      ['rang 180', 0],
      ['answered', 2_000],
    ],
  ],
  ['7*486', [['failed 486', 0]]],
  ['7*603', [['failed 603', 0]]],
];
for (const [number, comes] of outcomes) {
  const what = comes.map(([each, atMs]) => `${each} after ${atMs / 1_000} s`).join(', ');
  test(`a number ${number} behind a provider: ${what}`, (t) => {
    const scene = new Scene().start();
    const sinceMs = scene.clock.now();
    const leg = scene.callOut(number);
    scene.pass(60_000);
    t.deepEqual(
      scene.of(leg),
      comes.map(([each]) => each),
    );
    scene.heard
      .filter((each) => each.leg === leg)
      .forEach(({ atMs }, n) => {
        const lateMs = atMs - sinceMs - (comes[n]?.[1] ?? 0);
        t.true(lateMs >= 0 && lateMs < 20, `${comes[n]?.[0]}: ${lateMs} ms late`);
      });
  });
}

test('a phone behaves by its number, whatever contact it is called by', (t) => {
  const scene = new Scene().start();
  const leg = scene.call(phone);
  scene.pass(900);
  t.deepEqual(scene.of(leg), ['rang 180']);
  scene.pass(200);
  t.deepEqual(scene.of(leg), ['rang 180', 'answered']);
});

test('a phone whose number the topology has silent never reacts, not even with 100; the one that refuses does', (t) => {
  const scene = new Scene().start();
  const silent = scene.call(`${acme}/1008`, { gate: 'sg-313' });
  const busy = scene.call(`${acme}/1009`, { gate: 'sg-123' });
  const globex = scene.call('globex.root.test/1008', { gate: 'sg-313' });
  scene.pass(20_000);
  const heard = scene.sent.filter(({ message }) => message.kind === 'response' && message.callid === silent);
  t.deepEqual(heard, []);
  scene.gate('sg-313').control(silent, { type: 'end' });
  scene.pass(40_000);
  t.deepEqual(scene.of(silent), ['failed 487'], 'taken back without any answer');
  t.deepEqual(scene.of(busy), ['failed 486']);
  t.deepEqual(scene.of(globex), ['rang 180', 'answered'], 'in another domain nothing is said about the number');
});

test('a redirection names a number at the same host', (t) => {
  const scene = new Scene().start();
  const contacts: unknown[] = [];
  const hear = (leg: string) => {
    const failed = scene.heard.find((each) => each.leg === leg && each.report.type === 'leg.failed')?.report;
    contacts.push(failed?.type === 'leg.failed' ? failed.contacts : undefined);
  };
  const out = scene.callOut('4914');
  scene.world.behave(acme, '1001', { redirect: '1002' });
  const within = scene.call(phone);
  scene.pass(1_000);
  hear(out);
  hear(within);
  t.deepEqual(contacts, [['sip:4901@sip.telecom.test'], [`sip:1002@${acme}`]]);
});

test('a behaviour that is set applies to the calls after it, until it is removed', (t) => {
  const scene = new Scene().start();
  const outcome = () => {
    const leg = scene.call(phone);
    scene.pass(3_000);
    scene.gate().control(leg, { type: 'end' });
    scene.pass(1_000);
    return scene.of(leg);
  };
  t.deepEqual(outcome(), ['rang 180', 'answered', 'ended local']);
  scene.world.behave(acme, '1001', { reject: 603 });
  t.deepEqual(outcome(), ['failed 603']);
  scene.world.behave(acme, '1001', { ringMs: 500 });
  t.deepEqual(outcome(), ['rang 180', 'failed 487']);
  scene.world.behave(acme, '1001', undefined);
  t.deepEqual(outcome(), ['rang 180', 'answered', 'ended local']);
  t.throws(() => scene.world.behave('acme', '1001', {}), {
    message: /^no domain named "acme"; expected one of root\.test, /,
  });
});

test('of two accounts with one provider each has its own domain for what numbers do', (t) => {
  const numbers = { '4955': { reject: 410 } };
  const domains = defaultMap.topology.domains.map((domain) => (domain.name === acme ? { ...domain, numbers } : domain));
  const scene = new Scene({ map: new ClusterMap({ ...defaultMap.topology, domains }) }).start();
  const ours = scene.callOut('4955');
  const theirs = scene.callOut('4955', { gate: 'esg-321', account: 'globex' });
  scene.pass(3_000);
  t.deepEqual([scene.of(ours), scene.of(theirs)], [['failed 410'], ['rang 180', 'answered']]);
});

test('a call that is cancelled while it rings is over at once on both sides', (t) => {
  const scene = new Scene().start();
  const leg = scene.callOut('4913');
  scene.pass(1_000);
  t.is(scene.world.calls, 1);
  scene.gate('esg-221').control(leg, { type: 'end' });
  scene.pass(1_000);
  t.deepEqual(scene.of(leg), ['rang 180', 'failed 487']);
  t.is(scene.world.calls, 0);
});

test('a talking phone sends UPDATE at a third of the session time, so that the platform does not miss it', (t) => {
  const scene = new Scene().start();
  const leg = scene.call(phone);
  scene.pass(300_000);
  t.deepEqual(scene.of(leg), ['rang 180', 'answered']);
  t.is(scene.requests('UPDATE').length, 9);
  scene.world.silence(phone);
  scene.pass(100_000);
  t.deepEqual(scene.of(leg), ['rang 180', 'answered', 'ended lost']);
  t.is(scene.world.calls, 0, 'nor does the phone stay in the call');
});

test('a phone answers OPTIONS with 200, and refuses to be a registrar', (t) => {
  const scene = new Scene().start();
  const statuses: number[] = [];
  const [{ endpoint = '' } = {}] = scene.world.phones(phone);
  for (const method of ['OPTIONS', 'REGISTER'] as const) {
    const who = { uri: `sip:x@${endpoint}` };
    scene.gate().request({ method, uri: who.uri, from: who, to: who }, endpoint, ({ status }) => statuses.push(status));
  }
  scene.pass(100);
  t.deepEqual(statuses, [200, 403]);
});
