/** The page of a run: what is recorded, and that the page holds it all and can't be broken by it. */

import { Script } from 'node:vm';
import { htmlReport } from '../../../sim/report/html/page.ts';
import type { ReportData } from '../../../sim/report/html/page-data.ts';
import { Recorder } from '../../../sim/report/html/recorder.ts';
import { readScenario } from '../../../sim/scenario/load-scenario.ts';
import type { RunContext } from '../../../sim/scenario/run/context.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const text = `
name: page
why: A page must show the calls, the faults, and what did not hold.
topology: default
sessions:
  acme: { through: north, domain: acme.root.test, login: admin, pwd: admin }
steps:
  - note: "</script><b>a call"
    request: { through: north, as: acme, method: INVITE, path: /rest/v1/uc/calls, body: { from: '1001', to: '1002', response_mode: 3 } }
    expect: { status: 200 }
  - fault: { cut: { from: south }, name: lines }
  - wait: 5s
  - fault: { pause: s1 }
  - fault: { resume: s2 }
  - fault: { silence: acme.root.test/1003 }
  - fault: { crash: conf-324 }
  - fault: { mend: lines }
  - fault: { crash: n2 }
  - wait: 3s
  - fault: { resume: s1 }
  - fault: { revive: acme.root.test/1003 }
  - fault: { silence: acme.root.test/1004 }
  - note: it is not so
    request: { through: north, as: acme, path: /rest/v1/uc/calls }
    expect: { count: 7 }
`;

async function recorded(of = text): Promise<ReportData> {
  const scenario = readScenario({ file: 'page.yaml', text: of }, () => loadTopology('default'));
  const world = new VirtualWorld({ map: scenario.map, webApps: scenario.webApps, seed: 1 });
  const recorder = new Recorder(world);
  let readyMs = 0;
  const onReady = (stage: RunContext) => {
    readyMs = world.now() - stage.atMs;
  };
  const report = await runScenario(scenario.scenario, world, { seed: 1, onReady, onEnd: () => recorder.end() });
  return recorder.finish(scenario, { report, readyMs, maker: 'strowger test' });
}

let data: ReportData;

test.before(async () => {
  data = await recorded();
});

/** A message in words. */
function worded([, from, to, what]: ReportData['messages'][number]): string {
  return `${data.places[from]?.name} ${data.names[what]} ${data.places[to]?.name}`;
}

const head = text.slice(0, text.indexOf('steps:'));

test('faults are bars from when they are injected until they are lifted or undone', (t) => {
  const spans = data.faults.map(({ what, fromMs, untilMs }) => [
    what,
    untilMs === undefined ? 'to the end' : Math.round((untilMs - fromMs) / 1_000),
  ]);
  t.deepEqual(spans, [
    ['cut south', 5],
    ['pause s1', 3],
    ['silence acme.root.test/1003', 3],
    ['crash conf-324', 1],
    ['crash n2', 'to the end'],
    ['silence acme.root.test/1004', 'to the end'],
  ]);
});

test('a core that is healed is a time of its own, and no fault', async (t) => {
  const { faults, steps } = await recorded(`${head}steps:
  - fault: { cut: { from: south } }
  - wait: 1s
  - converge: { core: [north, south], within: 60s }
`);
  t.deepEqual(
    faults.map(({ what }) => what),
    ['cut south'],
  );
  const [, , healed] = steps;
  t.true(healed?.converges);
  t.is(healed?.fromMs, faults[0]?.untilMs);
  t.true((healed?.atMs ?? 0) > (healed?.fromMs ?? 0));
});

test('moments are those of the steps', (t) => {
  const [cut] = data.faults;
  const step = data.steps.find(({ what }) => what.includes('cut'));
  t.is(Math.round(cut?.fromMs ?? 0), Math.round(step?.atMs ?? -1));
});

test('a call has the messages of all its legs, from phone to phone, and a name', (t) => {
  const [call] = data.calls;
  t.is(call?.name, 'acme.root.test/1001 → acme.root.test/1002');
  t.is(call?.status, 200);
  t.regex(call?.dialogids.join() ?? '', /^\d+-[\w-]+$/, 'the one of the interface');
  const callids = new Set(call?.callids);
  const said = data.messages.filter(([, , , , , callid]) => callids.has(callid)).map(worded);
  t.is(said.length, call?.messages ?? 0);
  t.true(
    said.some((words) => /^sg-213 INVITE acme.root.test\/1001$/.test(words)),
    said.join('\n'),
  );
  t.true(said.some((words) => /^acme.root.test\/1002 200 INVITE sg-/.test(words)));
});

test('states are listed by machine and key, at moments in order', (t) => {
  const moments = data.states.map(([atMs]) => atMs);
  t.deepEqual(
    moments,
    moments.toSorted((a, b) => a - b),
  );
  const dialogs = data.states.filter(([, , machine]) => data.names[machine] === 'dialog');
  t.true(dialogs.some(([, , , , state]) => data.names[state] === 'talking'));
});

test('messages sent while the world stops are no part of the run', (t) => {
  const lastMs = data.steps.at(-1)?.atMs ?? 0;
  t.true((data.messages.at(-1)?.[0] ?? 0) <= lastMs);
  t.is(data.untilMs, lastMs);
  t.is(data.said, data.messages.length);
});

test('the step that failed says what did not hold', (t) => {
  t.is(data.verdict, 'fail');
  t.like(data.failures, { length: 1, 0: { kind: 'step', name: 'it is not so', atMs: data.steps.at(-1)?.atMs } });
  t.regex(data.steps.at(-1)?.failures[0] ?? '', /expected a list of 7 items/);
});

test('the page holds the data whole, whatever texts are in it, and a script that can be read', async (t) => {
  const page = await htmlReport(data);
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  t.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(data)));
  t.is(page.match(/<\/script>/g)?.length, 2);
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(page) ?? [];
  t.true(script.includes('drawTimeline'));
  t.notThrows(() => new Script(script));
  t.notRegex(page, /(src|href)="(?!data:)/);
});

test('where no script runs the page says the verdict, what did not hold, and the steps, as plain text', async (t) => {
  const [, shown = ''] = /<noscript>(.*?)<\/noscript>/s.exec(await htmlReport(data)) ?? [];
  t.regex(shown, /<h1>page <span class="badge fail">fail<\/span><\/h1>/);
  t.regex(shown, /<td>it is not so<pre>body: expected a list of 7 items, got \d+/);
  t.is(shown.match(/<td>it is not so<pre>/g)?.length, 2, 'among what did not hold, and among the steps');
  t.true(shown.includes('<td>&lt;/script&gt;&lt;b&gt;a call</td>'));
  t.regex(shown, /<tr class=""><td>3\.\d{3}\u00A0s<\/td><td>8\.\d{3}\u00A0s<\/td><td>cut south<\/td><\/tr>/);
  t.false(shown.includes('[object'), shown);
});

test('a fault shows its figure, and the pings that it names are shown while the others are not', async (t) => {
  const { faults, messages, names, leftOut } = await recorded(`${head}steps:
  - wait: 2s
  - fault: { lose: { from: n1, to: h1, oneWay: true, messages: [peer.ping], probability: 0.5 } }
  - fault: { delay: { from: south, by: 20ms } }
  - fault: { flap: { from: south, every: 10s } }
  - fault: { refuseRegister: { who: sip.telecom.test, status: 503 } }
  - wait: 3s
`);
  t.deepEqual(
    faults.map(({ what }) => what),
    [
      'lose n1 to h1, oneWay, messages peer.ping, probability 0.5',
      'delay south, by 20 ms',
      'flap south, every 10000 ms',
      'refuseRegister sip.telecom.test, status 503',
    ],
  );
  const peers = messages.filter(([, , , what]) => names[what]?.startsWith('peer.'));
  t.deepEqual([...new Set(peers.map(([, , , what]) => names[what]))], ['peer.ping']);
  t.true(peers.every(([atMs]) => atMs >= 2_000));
  t.regex(
    leftOut[0] ?? '',
    /^\d+ pings, pongs and digests between nodes are left out; pings that a fault names are shown /,
  );
  t.regex(data.leftOut[0] ?? '', /are left out\.$/);
});
