/** Faults of the world outside: by their verbs, and as scenario files write them. */

import { Faults } from '../../../sim/faults/faults.ts';
import { TrafficRules } from '../../../sim/faults/rules.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { checkFault } from '../../../sim/scenario/checks/fault-checks.ts';
import { Names } from '../../../sim/scenario/checks/names.ts';
import { faultSchema, type ScenarioFault } from '../../../sim/scenario/language/fault-schema.ts';
import { FaultInjector } from '../../../sim/scenario/run/fault-injector.ts';
import type { World } from '../../../sim/world/world.ts';
import { requestOf } from '../../kit/calls/outside.ts';
import { defaultMap as map } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { acme, Scene } from './scene.ts';

const phone = `${acme}/1001`;

function faulty(seed = 1) {
  const scene = new Scene({ seed }).start();
  const breakable = {
    map,
    rules: new TrafficRules(),
    random: new SeededRandom(seed).stream('faults'),
    crashNode: () => {},
    restartNode: () => Promise.resolve(),
    pauseNode: () => {},
    resumeNode: () => {},
    crashInstance: () => {},
    restartInstance: () => {},
    clock: scene.clock,
    stopNode: () => Promise.resolve(),
    breakHalf: () => () => {},
    shiftClock: () => {},
    slowStores: () => {},
    wipeStores: () => Promise.resolve(),
    fillStores: () => {},
  };
  const faults = new Faults(breakable, scene.world);
  // Of a world inflicting needs no more.
  const injector = new FaultInjector({ faults, map, cluster: breakable, outside: scene.world } as unknown as World);
  return { scene, faults, injector };
}

/** How many of so many messages from one endpoint to another arrive. */
function arrivals(
  { scene }: ReturnType<typeof faulty>,
  { from = 'sg-213', to = '10.200.0.1:1', count = 1 } = {},
): number {
  let heard = 0;
  const { network } = scene.world;
  const other = network.attach(to, () => {
    heard += 1;
  });
  const edge = map.instanceNamed(from);
  const line = network.attach(edge === undefined ? from : map.endpointOf(edge), () => {});
  for (let n = 0; n < count; n += 1) line.send(to, requestOf('OPTIONS'));
  scene.pass(100);
  other.detach();
  return heard;
}

const cuts: readonly [place: string, edges: readonly string[]][] = [
  ['north', ['sg-213', 'esg-221']],
  ['hq', ['sg-123', 'esg-113', 'esg-122']],
  ['sg-313', ['sg-313']],
  ['esg-321', ['esg-321']],
  ['*', ['sg-123', 'sg-213', 'sg-313', 'esg-113', 'esg-122', 'esg-221', 'esg-321']],
];
const edges = cuts.at(-1)?.[1] ?? [];
for (const [place, broken] of cuts) {
  test(`a cut outside of ${place} parts ${broken.join(', ')} from all outside, until it is mended`, (t) => {
    const world = faulty();
    const mend = world.faults.cutOutside({ from: place });
    t.deepEqual(
      edges.filter((from) => arrivals(world, { from }) === 0),
      edges.filter((edge) => broken.includes(edge)),
    );
    mend();
    t.deepEqual(
      edges.filter((from) => arrivals(world, { from }) === 0),
      [],
    );
  });
}

test('messages outside are lost and come twice with the probability that is said, the same ones for the same seed', (t) => {
  const [lost, doubled] = [faulty(), faulty()];
  lost.faults.loseOutside(0.25);
  doubled.faults.duplicateOutside(0.25);
  const came = arrivals(lost, { count: 1_000 });
  t.true(came > 700 && came < 800, `${came}`);
  const twice = arrivals(doubled, { count: 1_000 }) - 1_000;
  t.true(twice > 200 && twice < 300, `${twice}`);
  const again = faulty();
  again.faults.loseOutside(0.25);
  t.is(arrivals(again, { count: 1_000 }), came);
});

test('all faults of the traffic outside are mended at once; a silenced phone stays silent', (t) => {
  const world = faulty();
  const { faults, scene } = world;
  faults.cutOutside({ from: 'north' });
  faults.loseOutside(1);
  faults.silence(phone);
  t.is(arrivals(world), 0);
  faults.mend();
  t.is(arrivals(world), 1);
  t.true(scene.world.phones(phone)[0]?.isSilent);
  faults.revive(phone);
  t.false(scene.world.phones(phone)[0]?.isSilent);
});

test('names that are unknown outside are refused, with the known ones', (t) => {
  const { faults } = faulty();
  t.throws(() => faults.silence('acme.root.test/2001'), {
    message: /^no phone or provider is named "acme\.root\.test\/2001"; expected one of /,
  });
  t.throws(() => faults.revive('sip.other.test'), { message: /sip\.telecom\.test$/ });
  t.throws(() => faults.cutOutside({ from: 'h3' }), {
    message:
      'expected a place with edges (esg-113, esg-122, esg-221, esg-321, hq, north, sg-123, sg-213, sg-313, south), got "h3"',
  });
  const alone = new Faults({ map } as ConstructorParameters<typeof Faults>[0]);
  t.throws(() => alone.silence(phone), { message: 'this world has no phones and providers' });
  t.throws(() => alone.loseOutside(1), { message: 'this world has no phones and providers' });
});

test('faults outside are injected as scenarios write them, and mended by name', async (t) => {
  const world = faulty();
  const { injector, scene } = world;
  await injector.inject({ cutOutside: { from: 'sg-213' }, name: 'lines' });
  t.is(arrivals(world), 0);
  await injector.inject({ mend: 'lines' });
  t.is(arrivals(world), 1);
  await injector.inject({ loseOutside: { probability: 1 }, name: 'rain' });
  await injector.inject({ duplicateOutside: { probability: 1 }, name: 'echo' });
  t.is(arrivals(world), 0);
  await injector.inject({ mend: 'rain' });
  t.is(arrivals(world), 2);
  t.deepEqual([...injector.names], ['echo']);
  await injector.inject({ mend: '*' });
  t.is(arrivals(world), 1);
  await injector.inject({ silence: 'sip.telecom.test' });
  t.true(scene.world.providers()[0]?.isSilent);
  await injector.inject({ revive: 'sip.telecom.test' });
  t.false(scene.world.providers()[0]?.isSilent);
});

const names = new Names(map, { areOpen: false });

const invalid: readonly [fault: ScenarioFault, where: string, message: RegExp][] = [
  [
    { silence: 'acme.root.test/2001' },
    'silence',
    /^expected a phone or a provider \(acme\.root\.test\/1001, .* and 11 more\), got "acme.*did you mean "acme\.root\.test\/1001"\?$/,
  ],
  [{ revive: '1001' }, 'revive', /got "1001"$/],
  [{ cutOutside: { from: 'h3' } }, 'cutOutside.from', /^expected a place with edges \(esg-113, .*south\), got "h3"$/],
];
for (const [fault, where, message] of invalid) {
  test(`a scenario that says ${JSON.stringify(fault)} is invalid`, (t) => {
    const [problem, ...more] = checkFault(fault, { names, activeFaults: new Set(), path: ['fault'] });
    t.deepEqual(more, []);
    t.is(problem?.path.join('.'), `fault.${where}`);
    t.regex(problem?.message ?? '', message);
  });
}

test('a scenario may say all that there is outside, and nothing beyond its bounds', (t) => {
  const valid: ScenarioFault[] = [
    { silence: phone },
    { revive: '10.9.0.1:5060' },
    { cutOutside: { from: '*' } },
    { cutOutside: { from: 'esg-221' } },
    { loseOutside: { probability: 0.5 } },
    { duplicateOutside: { probability: 0 } },
    { silence: [phone, 'sip.telecom.test'] },
    { flapOutside: { who: 'sip.telecom.test', every: '2s' } } as unknown as ScenarioFault,
    { loseOutside: { probability: 1, from: { site: 'north', role: 'sg' }, messages: ['INVITE', '200 BYE', '4*'] } },
    { cutOutside: { who: phone, direction: 'in' } },
  ];
  for (const fault of valid) {
    t.true(faultSchema.safeParse(fault).success);
    t.deepEqual(checkFault(fault, { names, activeFaults: new Set(), path: [] }), []);
  }
  for (const fault of [{ loseOutside: { probability: 2 } }, { cutOutside: {} }, { silence: phone, revive: phone }]) {
    t.false(faultSchema.safeParse(fault).success, JSON.stringify(fault));
  }
});

const narrow: readonly [what: string, fault: ScenarioFault, isCut: boolean][] = [
  ['the method', { loseOutside: { probability: 1, messages: ['OPTIONS'] } }, true],
  ['another method', { loseOutside: { probability: 1, messages: ['INVITE', '200'] } }, false],
  ['the way out', { cutOutside: { from: '*', direction: 'out' } }, true],
  ['the way in', { cutOutside: { from: '*', direction: 'in' } }, false],
  ['its node', { cutOutside: { from: 'n1' } }, true],
  ['its role', { cutOutside: { from: { site: 'north', role: 'sg' } } }, true],
  ['another role', { cutOutside: { from: { site: 'north', role: 'esg' } } }, false],
  ['the phone that it is for', { cutOutside: { who: phone } }, true],
  ['another phone', { cutOutside: { who: 'acme.root.test/1002' } }, false],
];
for (const [what, fault, isCut] of narrow) {
  test(`a fault outside of ${what} ${isCut ? 'takes' : 'leaves'} the message`, async (t) => {
    const world = faulty();
    await world.injector.inject(fault);
    const { endpoint = '' } = world.scene.world.phones(phone)[0] ?? {};
    t.is(arrivals(world, { to: endpoint }), isCut ? 0 : 1);
  });
}

test('a phone that flaps is silent and present in turn, until it is mended by name', async (t) => {
  const { injector, scene } = faulty();
  await injector.inject({ flapOutside: { who: phone, every: 500 }, name: 'loose plug' });
  const isSilent = () => scene.world.phones(phone)[0]?.isSilent;
  t.true(isSilent());
  scene.pass(600);
  t.false(isSilent());
  scene.pass(500);
  t.true(isSilent());
  t.deepEqual([injector.activeCount, [...injector.names]], [1, ['loose plug']]);
  await injector.inject({ mend: 'loose plug' });
  scene.pass(600);
  t.false(isSilent());
  t.is(injector.activeCount, 0);
});
