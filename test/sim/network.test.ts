/** The simulated network: how long frames take, and that chance decides nothing twice. What every link does is in the contract. */

import fc from 'fast-check';
import { SimulatedNetwork } from '../../sim/ports/network.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { meshOf } from '../ports/link/mesh.ts';

const map = meshOf(['a', 'b', 'z'], (name) => (name === 'z' ? 'far' : 'near'));
const silent = { connected: () => {}, disconnected: () => {}, received: () => {} };

async function connected(seed: number) {
  const clock = new VirtualClock(0);
  const sent: string[] = [];
  const heard: { frame: string; atMs: number }[] = [];
  const connectedMs: number[] = [];
  const network = new SimulatedNetwork({
    map,
    clock,
    random: new SeededRandom(seed).stream('network'),
    onFrame: (from, to, frame) => sent.push(`${from} ${to} ${frame}`),
  });
  const received = (_peer: string, frame: string) => heard.push({ frame, atMs: clock.now() });
  const links = { a: network.linkOf('a'), b: network.linkOf('b'), z: network.linkOf('z') };
  await links.a.open({ ...silent, connected: () => connectedMs.push(clock.now()) });
  await links.b.open({ ...silent, received });
  await links.z.open({ ...silent, received });
  clock.advanceTo(100);
  return { clock, links, sent, heard, connectedMs };
}

for (const [peer, where, least, most] of [
  ['b', 'within a site', 0.1, 0.5],
  ['z', 'between sites', 4, 12],
] as const) {
  test(`a frame takes from ${least} to ${most} ms ${where}, now more and now less`, async (t) => {
    const { clock, links, heard } = await connected(1);
    const tookMs: number[] = [];
    for (let frame = 0; frame < 500; frame++) {
      const startMs = clock.now();
      links.a.send(peer, `${frame}`);
      clock.advanceTo(startMs + 20);
      tookMs.push((heard[frame]?.atMs ?? 0) - startMs);
    }
    const range = most - least;
    t.true(tookMs.every((ms) => ms >= least && ms <= most));
    t.true(Math.min(...tookMs) < least + range / 20 && Math.max(...tookMs) > most - range / 20);
  });
}

test('a connection takes a way there and back', async (t) => {
  const { connectedMs } = await connected(3);
  const [near = 0, far = 0] = connectedMs;
  t.true(near >= 0.2 && near <= 1, `${near}`);
  t.true(far >= 8 && far <= 24, `${far}`);
});

test('a frame that was sent later never overtakes', async (t) => {
  const property = fc.asyncProperty(
    fc.nat(),
    fc.array(fc.double({ min: 0, max: 5, noNaN: true })),
    async (seed, pauses) => {
      const { clock, links, heard } = await connected(seed);
      pauses.forEach((pauseMs, frame) => {
        links.a.send('z', `${frame}`);
        clock.advanceTo(clock.now() + pauseMs);
      });
      clock.advanceTo(clock.now() + 20);
      t.deepEqual(
        heard.map(({ frame }) => frame),
        pauses.map((_, frame) => `${frame}`),
      );
    },
  );
  await fc.assert(property, { numRuns: sized(25, 100) });
});

test('every frame that is taken is seen, when it is sent, and no other', async (t) => {
  const { links, sent } = await connected(1);
  links.a.send('b', 'one');
  t.deepEqual(sent, ['a b one']);
  links.z.send('a', 'two');
  links.a.send('unknown', 'three');
  links.a.send('b', 'x'.repeat(2 * 1024 * 1024));
  links.b.crash();
  links.a.send('b', 'four');
  t.deepEqual(sent, ['a b one', 'z a two']);
});

test('the same seed gives the same times, another seed others', async (t) => {
  const times = async (seed: number) => {
    const { clock, links, heard } = await connected(seed);
    for (let frame = 0; frame < 20; frame++) links.a.send(frame % 2 === 0 ? 'b' : 'z', `${frame}`);
    clock.advanceTo(200);
    return heard;
  };
  t.deepEqual(await times(5), await times(5));
  t.notDeepEqual(await times(5), await times(6));
});
