/** The ledger of what sweeps reach. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCampaign } from '../../../sim/campaign/draw.ts';
import { type Reached, SweepCoverage } from '../../../sim/ledger/coverage.ts';
import { CoverageLedger, coverageGoals } from '../../../sim/ledger/coverage-ledger.ts';
import { type CoverageKind, isReachable, universeOf, unreachable } from '../../../sim/ledger/universe.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';

const none: Reached = {
  ...{
    operations: [],
    answers: [],
    messages: [],
    states: [],
    transitions: [],
    troubled: [],
    faults: [],
    faultPoints: [],
  },
  ...{ events: [], oracles: [] },
};

test('a ledger adds runs, continues in its file, and begins anew with another build', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'coverage.json');
  const first = new CoverageLedger(file, 'a');
  first.add({ ...none, faults: ['cut'] });
  first.save();
  const second = new CoverageLedger(file, 'a');
  second.add({ ...none, faults: ['cut', 'hold'], events: ['x'] });
  second.save();
  const text = second.text();
  const all = universeOf('faults')?.length ?? 0;
  t.regex(text, /reached by 2 runs/);
  t.regex(text, new RegExp(`verbs of faults that struck: 2 of ${all}`));
  t.false(/never: .*\bcut,/.test(text));
  t.regex(text, /never: .*swizzle/);
  t.regex(text, /rare events, logged or counted: 1\n/);
  t.is(new CoverageLedger(file, 'b').runs, 0);
  writeFileSync(file, '{');
  t.is(new CoverageLedger(file, 'a').runs, 0);
});

test('a long campaign must reach most of what can be listed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const ledger = new CoverageLedger(join(folder, 'coverage.json'), 'a');
  const faults = universeOf('faults') ?? [];
  for (let run = 0; run < 199; run += 1) ledger.add(none);
  t.deepEqual(ledger.missed(), []);
  ledger.add({ ...none, faults, transitions: ['leg: cancelling > clearing'] });
  const missed = ledger.missed().join('\n');
  t.regex(missed, /^operations of the interface: 0 % in 200 runs, expected 95 %$/m);
  t.notRegex(missed, /verbs of faults/);
  t.regex(missed, /^a call ends while it is recorded: in none of 200 runs$/m);
  t.notRegex(missed, /an answer crosses a CANCEL/);
  const goals = Object.keys(coverageGoals).length;
  t.regex(
    ledger.text(),
    new RegExp(`named goals: 1 of ${goals}\n    never: an answered call is ended before its ACK, `),
  );
});

test('each named goal that can be listed is something that runs can reach', (t) => {
  const states = new Set(universeOf('states'));
  for (const [name, { kind, reached }] of Object.entries(coverageGoals)) {
    if (kind === 'transitions') {
      const [machine, before, after] = reached.split(/: | > /);
      for (const state of [before, after]) t.true(states.has(`${machine}: ${state}`), name);
    } else if (kind === 'answers') t.true(universeOf('operations')?.includes(reached.replace(/ \d+$/, '')), name);
    else t.true(universeOf(kind)?.includes(reached) ?? kind === 'events', name);
  }
});

test('transitions lead between the states of their machine', (t) => {
  const transitions = universeOf('transitions') ?? [];
  const states = new Set(universeOf('states'));
  t.true(transitions.includes('leg: cancelling > clearing'));
  t.true(transitions.includes('ping: ok.checking > error.resting'));
  for (const name of transitions) {
    const [machine, before, after] = name.split(/: | > /);
    t.true(states.has(`${machine}: ${before}`) && states.has(`${machine}: ${after}`), name);
  }
});

test('what no run can reach is of a machine that there is, has a reason, and does not count', (t) => {
  const machines = new Set(universeOf('states')?.map((name) => name.replace(/:.*/, '')));
  for (const [kind, names] of Object.entries(unreachable)) {
    for (const [name, reason] of Object.entries(names)) {
      t.true(machines.has(name.replace(/:.*/, '')), name);
      t.regex(reason, /^.{20,}\.$/);
      t.false(universeOf(kind as CoverageKind)?.includes(name));
    }
  }
  t.false(isReachable('transitions', 'session: active > expired'));
  t.false(universeOf('transitions')?.includes('session: active > expired'));
});

test('a run shows the operations, messages and states that it reaches, and only faults that strike', async (t) => {
  const { map, webApps, metadataFiles } = loadCampaign(1);
  const world = new VirtualWorld({ map, webApps, metadataFiles, seed: 1 });
  const coverage = new SweepCoverage(world);
  await world.start();
  const [site = ''] = [...map.sites.keys()];
  await world.request(site, new Request(`http://${site}/healthz`));
  world.faults.lose({ from: site }, 0)();
  world.faults.cut({ from: site });
  await world.wait(2_000);
  await world.stop();
  const reached = coverage.end({ 'no-bugs': 1, 'one-active': 0 });
  t.deepEqual(reached.operations, ['GET /healthz']);
  t.deepEqual(reached.answers, ['GET /healthz 200']);
  t.true(reached.messages.includes('peer.ping'));
  t.true(reached.states.some((state) => state.startsWith('binding: ')));
  t.deepEqual(reached.faults, ['cut']);
  t.deepEqual(reached.oracles, ['no-bugs']);
});
