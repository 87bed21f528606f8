/** Whatever happens outside, it comes to rest: no call, no timer and no state once all parties have hung up. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Behaviour } from '../../../src/model/topology/schema.ts';
import { holds, runs, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { acme, Scene, type SceneOptions } from './scene.ts';

const phones = ['1001', '1002', '1005', '1009'].map((login) => `${acme}/${login}`);
const anybody = fc.constantFrom(...phones, 'sip.telecom.test');
const ms = fc.integer({ min: 0, max: 8_000 });
const behaviour: fc.Arbitrary<Behaviour> = fc.record(
  {
    ringMs: ms,
    answerMs: ms,
    hangupMs: ms,
    reject: fc.integer({ min: 300, max: 699 }),
    redirect: fc.constantFrom('1002', 'sip:1002@acme.root.test'),
    silent: fc.boolean(),
  },
  { requiredKeys: [] },
);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ call: anybody, to: fc.constantFrom('1002', '4911', '5501', '7*486') }) },
  { weight: 4, arbitrary: fc.record({ ring: fc.constantFrom(...phones), hangupMs: ms }) },
  { weight: 2, arbitrary: fc.record({ behave: fc.constantFrom('1001', '1002'), as: behaviour }) },
  { weight: 1, arbitrary: fc.record({ silence: anybody }) },
  { weight: 1, arbitrary: fc.record({ revive: anybody }) },
  { weight: 1, arbitrary: fc.record({ flap: anybody, everyMs: fc.integer({ min: 100, max: 5_000 }) }) },
  { weight: 2, arbitrary: fc.record({ want: fc.constantFrom('talk', 'hold', 'hangUp'), of: anybody } as const) },
  { weight: 2, arbitrary: fc.record({ refer: fc.constantFrom('1005', '1009', 'nowhere at all', 'replacing') }) },
  { weight: 1, arbitrary: fc.constant({ replace: true }) },
  { weight: 6, arbitrary: fc.record({ waitMs: fc.integer({ min: 0, max: 40_000 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The platform does with each call what its number says: answers, refuses, challenges, rings, or nothing. */
const moody: NonNullable<SceneOptions['onReport']> = ({ leg, report }, gate) => {
  if (report.type === 'leg.referred') gate.control(leg, { type: 'refer.accept' });
  if (report.type !== 'leg.invited') return;
  const { request } = report;
  const mood = Number.parseInt(request.callid.slice(-2), 16) % 5;
  if (mood === 0) return;
  if (mood === 1) return void gate.control(leg, { type: 'reject', status: 486 });
  if (mood === 2 && request.credentials === undefined) {
    const challenge = { realm: acme, nonce: 'n' };
    return void gate.control(leg, { type: 'reject', status: 407, challenge });
  }
  gate.control(leg, { type: 'ring' });
  if (mood > 2) gate.control(leg, { type: 'answer' });
};

function take(scene: Scene, each: Step): void {
  const { world } = scene;
  const gate = scene.gate();
  const legs = [...gate.legs()];
  if ('call' in each) {
    const isStuck = each.call === 'sip.telecom.test' && !world.providers()[0]?.accounts.some((one) => one.isRegistered);
    if (!isStuck) world.call(each.call, each.to);
  } else if ('ring' in each) scene.call(each.ring, { media: 'sendrecv' });
  else if ('behave' in each) world.behave(acme, each.behave, each.as);
  else if ('silence' in each) world.silence(each.silence);
  else if ('revive' in each) world.revive(each.revive);
  else if ('flap' in each) world.flap(each.flap, each.everyMs);
  else if ('want' in each) world[each.want](each.of);
  else if ('waitMs' in each) scene.pass(each.waitMs);
  else if ('refer' in each) {
    const [replaces] = legs.map((leg) => gate.view(leg)?.replaces);
    const isReplacing = each.refer === 'replacing' && replaces !== undefined;
    const uri = isReplacing || each.refer === 'nowhere at all' ? each.refer : `sip:${each.refer}@${acme}`;
    const referTo = isReplacing ? { uri: `sip:1005@${acme}`, replaces } : { uri };
    for (const leg of legs) gate.control(leg, { type: 'refer', referTo });
  } else {
    const [replaces] = legs.map((leg) => gate.view(leg)?.replaces);
    if (replaces !== undefined) scene.call(phones[0] ?? '', { replaces });
  }
}

/** Ends what the platform still has, as b2b does when a call is over. */
function endAll(scene: Scene): void {
  for (const name of ['sg-123', 'sg-213', 'sg-313', 'esg-113', 'esg-122', 'esg-221', 'esg-321']) {
    const gate = scene.gate(name);
    for (const leg of [...gate.legs()]) gate.control(leg, { type: 'end' });
  }
}

test('after any calls, behaviours, transfers, silences and losses nothing is left once all parties have hung up', async (t) => {
  let calls = 0;
  await holds(
    t,
    fc.property(
      fc.nat(),
      fc.array(step, { maxLength: 30, size: 'max' }),
      fc.constantFrom(0, 0, 0.1, 0.4),
      (seed, steps, loss) => {
        const scene = new Scene({ seed, onReport: moody }).start();
        const { rules } = scene.world.network;
        const chance = { draws: seed };
        const lift = rules.install(() => {
          chance.draws = (chance.draws * 1_103_515_245 + 12_345) % 2 ** 31;
          const draw = chance.draws / 2 ** 31;
          if (draw < loss) return 'drop';
          return draw > 1 - loss / 2 ? { copies: 1 } : 'pass';
        });
        for (const each of steps) {
          take(scene, each);
          calls += 'call' in each || 'ring' in each ? 1 : 0;
        }
        lift();
        for (const name of [...phones, 'sip.telecom.test']) {
          scene.world.revive(name);
          scene.world.hangUp(name);
        }
        endAll(scene);
        // Longer than any transaction, session, or patience of a caller.
        scene.pass(700_000);
        endAll(scene);
        scene.pass(200_000);
        scene.assertQuiescent();
        for (const { isSilent } of scene.world.phones()) assert.ok(!isSilent);
        scene.assertGone();
      },
    ),
    { numRuns: sized(15, 60), uncovered: () => (calls > sized(15, 60) ? [] : ['call']) },
  );
});

test('the world outside ends at any moment and leaves no timer', async (t) => {
  await holds(
    t,
    fc.property(fc.nat(), fc.array(step, { maxLength: 10 }), (seed, steps) => {
      const scene = new Scene({ seed, onReport: moody });
      void scene.world.start();
      const traffic = scene.world.traffic({ rate: 5 });
      traffic.start();
      for (const each of steps) take(scene, each);
      scene.assertGone();
      const sent = scene.sent.length;
      scene.pass(100_000);
      assert.equal(scene.sent.length, sent);
    }),
    { numRuns: runs(3) },
  );
});
