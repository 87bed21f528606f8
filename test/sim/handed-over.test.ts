/** Envelopes that the simulated network hands over without parsing: their receivers cannot tell them from parsed ones. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { isShareable, SimulatedNetwork } from '../../sim/ports/network.ts';
import { loadTopology } from '../../sim/topology/load.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import { isAsParsed } from '../../src/model/cluster/envelope.ts';
import { limits } from '../../src/model/limits.ts';
import type { Link } from '../../src/ports/link.ts';
import { test } from '../kit/test.ts';

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
  const parsed = await hashOf(() => undefined);
  const shared = await hashOf((envelope) => {
    if (envelope === undefined || !isShareable(envelope)) return envelope;
    handed += 1;
    return frozen(envelope);
  });
  t.is(shared, parsed);
  t.true(handed > 1_000, `${handed}`);
});

/** The hash of a run with calls, whose links are given what `hand` makes of each envelope. */
async function hashOf(hand: (envelope: Envelope | undefined) => Envelope | undefined): Promise<string> {
  const { linkOf } = SimulatedNetwork.prototype;
  SimulatedNetwork.prototype.linkOf = function (node): Link {
    const link = linkOf.call(this, node);
    const { send } = link;
    link.send = (peer, frame, envelope) => send.call(link, peer, frame, hand(envelope));
    return link;
  };
  try {
    const world = new VirtualWorld({ ...loadTopology('default'), seed: 5 });
    await world.start();
    world.outside.traffic({ rate: 5, holdingMs: 4_000 }).start();
    await world.wait(12_000);
    const hash = world.journal.hash();
    await world.stop();
    return hash;
  } finally {
    SimulatedNetwork.prototype.linkOf = linkOf;
  }
}

/** A write to it, or to a part of it, is a TypeError, which crashes the instance. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1)];
}
