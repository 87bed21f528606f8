/** Envelopes that the simulated network hands over without parsing: their receivers cannot tell them from parsed ones. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { loadCampaign } from '../../sim/campaign/draw.ts';
import { oracles } from '../../sim/oracles/all.ts';
import { allUseCases } from '../../sim/oracles/rules/use-cases/all.ts';
import { isShareable, SimulatedNetwork } from '../../sim/ports/network.ts';
import { runScenario } from '../../sim/scenario/run/runner.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import { isAsParsed } from '../../src/model/cluster/envelope.ts';
import { limits } from '../../src/model/limits.ts';
import type { Link } from '../../src/ports/link.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { scenarioOf } from './scenario/kit.ts';

test('a value that counts as parsed comes out of JSON the same, and what comes out of JSON counts', (t) => {
  let same = 0;
  const withOddities = fc.anything({
    withNullPrototype: true,
    withDate: true,
    withSparseArray: true,
    withBigInt: true,
  });
  fc.assert(
    fc.property(fc.oneof(withOddities, fc.jsonValue()), (value) => {
      if (!isAsParsed(value)) return;
      same += 1;
      const text = JSON.stringify(value);
      const parsed: unknown = JSON.parse(text);
      t.true(isDeepStrictEqual(parsed, value), text);
      t.is(JSON.stringify(parsed), text);
      t.true(isAsParsed(parsed));
    }),
  );
  t.true(same > 20, `${same}`);
});

for (const [name, value] of Object.entries({
  'a field without a value': { a: undefined },
  'a gap in a list': [1, undefined],
  'a number without JSON': { a: [Number.NaN] },
  'minus zero': -0,
  'an object of a class': { at: new Date(0) },
  'an object without a prototype': Object.create(null),
  'deep nesting': nested(limits.frameDepth + 1),
})) {
  test(`parsing would change ${name}, or refuse it`, (t) => {
    t.false(isAsParsed(value));
  });
}

test('calls leave the same trace whether messages are parsed or handed over, and those are not changed', async (t) => {
  let handed = 0;
  const parsed = await handing(() => undefined, traceOfCalls);
  const shared = await handing((envelope) => {
    if (envelope !== undefined && isShareable(envelope)) handed += 1;
    return frozen(envelope);
  }, traceOfCalls);
  t.is(shared, parsed);
  t.true(handed > 1_000, `${handed}`);
});

/** It waits for an hour, and takes a fifth of the time of all use cases. */
const isLong = ({ name }: { readonly name: string }) => name === 'sessions-expired';

test('each use case is played in the default cluster and passes, and no message that was handed over is changed', async (t) => {
  const played = allUseCases.filter((each) => sized(!isLong(each), true));
  const always = [...oracles.filter(({ plays }) => plays === undefined), ...played].map(({ name }) => name);
  const { scenario, map, webApps, metadataFiles } = scenarioOf(`always: [${always}]\nsteps: [{ wait: 5s }]\n`);
  const { failures, oracles: verdicts } = await handing(frozen, () => {
    const world = new VirtualWorld({ map, webApps, metadataFiles, seed: 1 });
    return runScenario(scenario, world, { seed: 1 });
  });
  t.deepEqual(failures, []);
  const exercised = new Set(verdicts.flatMap(({ name, checks }) => (checks > 0 ? [name] : [])));
  const idle = played.filter(({ name }) => !exercised.has(name));
  t.deepEqual(
    idle.map(({ name }) => name),
    [],
  );
});

for (const seed of sized([15, 24], [4, 15, 18, 24])) {
  // Its calls are transferred, or answered over a lossy way: an earlier b2b added to a response that it sent again, and crashes.
  test(`a run of the campaign with seed ${seed} changes no message that was handed over`, async (t) => {
    const { scenario, map, webApps } = loadCampaign(seed);
    const played = { useCases: 0, drills: sized(1, Number(scenario.drills)) };
    const { failures } = await handing(frozen, () => {
      const world = new VirtualWorld({ map, webApps, seed });
      return runScenario({ ...scenario, ...played }, world, { seed });
    });
    t.deepEqual(failures, []);
  });
}

/** What `run` gives while the links are given what `hand` makes of each envelope. */
async function handing<T>(
  hand: (envelope: Envelope | undefined) => Envelope | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const { linkOf } = SimulatedNetwork.prototype;
  SimulatedNetwork.prototype.linkOf = function (node): Link {
    const link = linkOf.call(this, node);
    const { send } = link;
    link.send = (peer, frame, envelope) => send.call(link, peer, frame, hand(envelope));
    return link;
  };
  try {
    return await run();
  } finally {
    SimulatedNetwork.prototype.linkOf = linkOf;
  }
}

async function traceOfCalls(): Promise<string> {
  const world = new VirtualWorld({ ...loadTopology('default'), seed: 5 });
  await world.start();
  world.outside.traffic({ rate: 5, holdingMs: 4_000 }).start();
  await world.wait(12_000);
  const hash = world.journal.hash();
  await world.stop();
  return hash;
}

/** A write to an envelope that is handed over, or to a part of it, is a TypeError, which crashes the instance. */
function frozen(envelope: Envelope | undefined): Envelope | undefined {
  return envelope !== undefined && isShareable(envelope) ? deepFrozen(envelope) : envelope;
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFrozen(part);
  return Object.freeze(value);
}

function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1)];
}
