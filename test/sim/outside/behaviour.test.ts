/** What numbers do when they are called: by their last digits, or by a behaviour that is set. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Behaviours, type CallReaction, isWilling, reactionOf } from '../../../sim/outside/behaviour.ts';
import type { Behaviour } from '../../../src/model/topology/schema.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const usual: CallReaction = {
  isSilent: false,
  ringMs: 0,
  answerMs: 2_000,
  status: 200,
  announcement: undefined,
  redirect: undefined,
  hangupMs: undefined,
  inCallActions: { presses: [], says: [] },
};
const atOnce: CallReaction = { ...usual, ringMs: undefined, answerMs: 0 };
const silent: CallReaction = { ...usual, isSilent: true, ringMs: undefined, answerMs: undefined };
const forEver: CallReaction = { ...usual, answerMs: undefined };
const refusing = (status: number): CallReaction => ({ ...atOnce, status });

const digits: readonly [number: string, does: string, reaction: CallReaction][] = [
  ['1000', 'rings and answers at once', { ...usual, answerMs: 0 }],
  ['1001', 'rings and answers after 1 s', { ...usual, answerMs: 1_000 }],
  ['4930123409', 'rings and answers after 9 s', { ...usual, answerMs: 9_000 }],
  ['1011', 'answers at once and hangs up after 5 s', { ...atOnce, hangupMs: 5_000 }],
  ['1012', 'never reacts', silent],
  ['1013', 'rings for ever', forEver],
  ['1014', 'redirects to the same number with 01', { ...refusing(302), redirect: '1001' }],
  ['14', 'redirects to 01', { ...refusing(302), redirect: '01' }],
  ['7*486', 'is busy', refusing(486)],
  ['7*603', 'is declined', refusing(603)],
  ['*300', 'is refused with 300, whatever its last two digits say', refusing(300)],
  ['*299', 'is no status', usual],
  ['*700', 'is no status, and ends in 00', { ...usual, answerMs: 0 }],
  ['486', 'is a number like any other without the star', usual],
  ['1010', 'does as most', usual],
  ['1015', 'does as most', usual],
  ['5', 'has one digit, and does as most', usual],
  ['anna', 'has none, and does as most', usual],
  ['', 'is nothing, and does as most', usual],
];
for (const [number, does, reaction] of digits) {
  test(`a number "${number}" ${does}`, (t) => t.deepEqual(reactionOf(number), reaction));
}

const set: readonly [does: string, behaviour: Behaviour, reaction: CallReaction][] = [
  ['does as most where nothing is said', {}, usual],
  ['never reacts', { silent: true, ringMs: 1, answerMs: 1, reject: 486 }, silent],
  ['rings for ever where only the ringing is said', { ringMs: 500 }, { ...forEver, ringMs: 500 }],
  ['rings late and answers later', { ringMs: 500, answerMs: 700 }, { ...usual, ringMs: 500, answerMs: 700 }],
  ['answers as most and hangs up', { hangupMs: 100 }, { ...usual, hangupMs: 100 }],
  ['rings late, answers as most and hangs up', { ringMs: 5, hangupMs: 100 }, { ...usual, ringMs: 5, hangupMs: 100 }],
  ['refuses at once', { reject: 486 }, refusing(486)],
  [
    'rings, then refuses',
    { ringMs: 0, answerMs: 3_000, reject: 603 },
    { ...refusing(603), ringMs: 0, answerMs: 3_000 },
  ],
  [
    'plays an announcement and refuses',
    { announcement: 'busy', reject: 486 },
    { ...refusing(486), announcement: 'busy', ringMs: 0, answerMs: 2_000 },
  ],
  ['plays an announcement and answers', { announcement: 'wait' }, { ...usual, announcement: 'wait' }],
  ['redirects at once', { redirect: '1002' }, { ...refusing(302), redirect: '1002' }],
  ['redirects with a status of its own', { redirect: '1002', reject: 301 }, { ...refusing(301), redirect: '1002' }],
];
for (const [does, behaviour, reaction] of set) {
  test(`a number with a behaviour ${does}: ${JSON.stringify(behaviour)}`, (t) => {
    t.deepEqual(reactionOf('1012', behaviour), reaction);
  });
}

test('whatever a number is, its reaction has times that can come and a status that can be sent', async (t) => {
  await holds(
    t,
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9*#+]{0,12}$/)), (number) => {
      const { ringMs = 0, answerMs = 0, hangupMs = 0, status, redirect } = reactionOf(number);
      for (const ms of [ringMs, answerMs, hangupMs]) assert.ok(Number.isInteger(ms) && ms >= 0);
      assert.ok(status === 200 || (status >= 300 && status <= 699));
      if (redirect !== undefined) assert.ok(isWilling(reactionOf(redirect)), 'it redirects to a number that answers');
    }),
    { numRuns: sized(250, 1_000) },
  );
});

test('a number that answers in the end is willing, and no other', (t) => {
  const willing = digits.map(([number]) => [number, isWilling(reactionOf(number))] as const);
  const unwilling = willing.filter(([, is]) => !is).map(([number]) => number);
  t.deepEqual(unwilling, ['1012', '1013', '1014', '14', '7*486', '7*603', '*300']);
});

test('a behaviour set by the control interface precedes the topology, which precedes the digits; each domain by itself', (t) => {
  const numbers = { '1002': { reject: 486 } };
  const behaviours = new Behaviours([
    { name: 'acme', numbers },
    { name: 'globex', numbers: {} },
  ]);
  const statusOf = (domain: string) => behaviours.reactionTo(domain, '1002', domain).status;
  t.deepEqual([statusOf('acme'), statusOf('globex')], [486, 200]);
  behaviours.set('acme', '1002', { reject: 603 });
  behaviours.set('globex', '1002', { reject: 404 });
  t.deepEqual([statusOf('acme'), statusOf('globex')], [603, 404]);
  behaviours.set('acme', '1002', undefined);
  behaviours.set('globex', '1002', undefined);
  t.deepEqual([statusOf('acme'), statusOf('globex')], [486, 200]);
});

test('a number redirects to a number at the host where it was called, or to the URI that was said', (t) => {
  const behaviours = new Behaviours([]);
  const redirectOf = (redirect: string) => {
    behaviours.set('acme', '1', { redirect });
    return behaviours.reactionTo('acme', '1', 'acme.test').redirect;
  };
  t.is(redirectOf('1002'), 'sip:1002@acme.test');
  t.is(redirectOf('1002@globex.test'), 'sip:1002@globex.test');
  t.is(redirectOf('sip:1002@globex.test'), 'sip:1002@globex.test');
  t.is(behaviours.reactionTo('acme', '4914', 'sip.telecom.test').redirect, 'sip:4901@sip.telecom.test');
});
