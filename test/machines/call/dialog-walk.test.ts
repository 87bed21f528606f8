/** What holds for a call of b2b whatever comes in whatever order: what callers, callees and listeners rely on. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { dialogMachine } from '../../../src/machines/call/dialog.ts';
import type { DialogCommand, DialogEvent } from '../../../src/machines/call/dialog-events.ts';
import { type Walk, walk } from '../../kit/machine-walk.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

type DialogWalk = Walk<typeof dialogMachine>;
type Step = { readonly passMs: number } | { readonly tell: (walked: DialogWalk) => DialogEvent };

const fork = fc.nat(5);
const key = fc.constantFrom('desk', 'soft', 'mobile', 'home', 'trunk');
const target = fc.record({ key, ringMs: fc.constantFrom(5_000, 30_000) });
const groups = fc.array(fc.array(target, { maxLength: 3 }), { maxLength: 3 });
const failure = fc.constantFrom(404, 407, 408, 480, 486, 503, 603).map((status) => ({ status, reason: `${status}` }));
const side = fc.constantFrom('a' as const, 'b' as const);
const said = fc.constantFrom(
  { what: 'media', media: 'sendonly' } as const,
  { what: 'refer', referTo: { uri: 'sip:1003@acme.root.test' }, referredBy: undefined } as const,
);

/** One of the forks that are being called now, else one that is not. */
const known = (which: number, { context }: DialogWalk) => {
  const { open } = context.forks;
  return open.length === 0 ? which : (open[which % open.length] ?? which);
};
const redirected = (which: number, { context }: DialogWalk) => context.forks.redirecting[0] ?? which;
const aimed = (make: (fork: number) => DialogEvent) =>
  fork.map((which) => ({ tell: (walked: DialogWalk) => make(known(which, walked)) }));
const plain = (event: fc.Arbitrary<DialogEvent>) => event.map((one) => ({ tell: () => one }));

const found = fc.record({ type: fc.constant('routes.found' as const), groups });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ passMs: fc.constantFrom(0, 1_000, 6_000, 40_000) }),
  { weight: 3, arbitrary: plain(found) },
  { weight: 3, arbitrary: aimed((which) => ({ type: 'fork.answered', fork: which, talkMs: 20_000 })) },
  { weight: 2, arbitrary: aimed((which) => ({ type: 'fork.redirected', fork: which })) },
  aimed((which) => ({ type: 'fork.rang', fork: which, status: 180 })),
  {
    weight: 3,
    arbitrary: fc.tuple(fork, failure).map(([which, why]) => ({
      tell: (walked: DialogWalk): DialogEvent => ({ type: 'fork.refused', fork: known(which, walked), failure: why }),
    })),
  },
  plain(fork.map((which) => ({ type: 'fork.answered', fork: which, talkMs: 20_000 }))),
  plain(failure.map((why) => ({ type: 'routes.failed', failure: why }))),
  {
    weight: 2,
    arbitrary: fc.tuple(fork, groups).map(([which, others]) => ({
      tell: (walked: DialogWalk): DialogEvent => ({
        type: 'contacts.found',
        fork: redirected(which, walked),
        groups: others,
        restMs: walked.context.forks.restMs,
      }),
    })),
  },
  fc.tuple(fork, failure).map(([which, why]) => ({
    tell: (walked: DialogWalk): DialogEvent => ({
      type: 'contacts.failed',
      fork: redirected(which, walked),
      failure: why,
    }),
  })),
  plain(fc.record({ type: fc.constant('party.left' as const), side, isLost: fc.boolean() })),
  plain(fc.record({ type: fc.constant('party.said' as const), side, said })),
  plain(
    fc.constantFrom<DialogEvent>(
      { type: 'caller.refused', refusal: { status: 407, reason: 'Proxy Authentication Required' } },
      { type: 'caller.cancelled' },
      { type: 'legs.gone' },
      { type: 'end.requested' },
    ),
  ),
);

/** Most calls get as far as their forks, and some are answered at once. */
const answering = aimed((which) => ({ type: 'fork.answered', fork: which, talkMs: 20_000 }));
const routed: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 3, arbitrary: plain(found).map((one) => [one]) },
  { weight: 2, arbitrary: fc.tuple(plain(found), answering).map((pair) => [...pair]) },
  fc.constant<Step[]>([]),
);
const calls = fc.record({
  isOriginated: fc.boolean(),
  isProven: fc.boolean(),
  steps: fc.tuple(routed, fc.array(step, { maxLength: 30 })).map(([first, then]) => [...first, ...then]),
});

/** Goes every step, then waits for longer than any call lasts. */
function run({ steps, ...input }: { isOriginated: boolean; isProven: boolean; steps: readonly Step[] }): DialogWalk {
  const walked = walk(dialogMachine, { input });
  for (const each of steps) {
    if ('passMs' in each) walked.pass(each.passMs);
    else walked.send(each.tell(walked));
    assert.notEqual(walked.status, 'error');
  }
  walked.pass(100_000_000);
  return walked;
}

function ofType<T extends DialogCommand['type']>(commands: readonly DialogCommand[], type: T) {
  return commands.filter((command): command is Extract<DialogCommand, { type: T }> => command.type === type);
}

/** How each fork ended, in order, as `1 connect`. */
function endsOf(commands: readonly DialogCommand[]): string[] {
  return commands.flatMap((command) => {
    switch (command.type) {
      case 'stop.fork':
      case 'find.contacts':
      case 'take.caller':
      case 'connect':
        return [`${command.fork}`];
      case 'cancel.forks':
        return command.forks.map(String);
      default:
        return [];
    }
  });
}

test('every call ends by itself, once, and leaves no timer', async (t) => {
  await holds(
    t,
    fc.property(calls, (call) => {
      const { commands, ordersMs, status, clock } = run(call);
      assert.equal(status, 'done');
      assert.equal(clock.pending, 0);
      const times = (['end.legs', 'publish.end', 'publish.gone', 'publish.stop'] as const).map(
        (type) => ofType(commands, type).length,
      );
      const isRefused = ofType(commands, 'refuse.caller').length === 1;
      assert.deepEqual(times, isRefused ? [0, 0, 0, 0] : [1, 1, 1, 1]);
      if (isRefused) return;
      const at = (type: DialogCommand['type']) => ordersMs[commands.findIndex((command) => command.type === type)] ?? 0;
      assert.equal(at('publish.stop') - at('publish.end'), 3_000);
      assert.deepEqual(ofType(commands, 'publish.stop')[0]?.end, ofType(commands, 'publish.end')[0]?.end);
    }),
    { numRuns: sized(75, 300) },
  );
});

test('one callee is connected at most, and every fork that was called ends exactly once', async (t) => {
  let connected = 0;
  await holds(
    t,
    fc.property(calls, (call) => {
      const { commands } = run(call);
      const called = ofType(commands, 'call.forks').flatMap(({ forks }) => forks.map((each) => each.fork));
      assert.deepEqual(
        called,
        called.map((_, index) => index + 1),
      );
      assert.deepEqual(endsOf(commands).map(Number).sort(byNumber), called);
      const winners = ofType(commands, 'connect').length;
      assert.ok(winners <= 1);
      assert.ok(ofType(commands, 'take.caller').length <= (call.isOriginated ? 1 : 0));
      connected += winners;
    }),
    { numRuns: sized(75, 300), uncovered: () => (connected > 15 ? [] : ['connect']) },
  );
});

test('no callee is called twice for one side, and none before routes were announced or after the end', async (t) => {
  await holds(
    t,
    fc.property(calls, (call) => {
      const { commands } = run(call);
      const types = commands.map((command) => command.type);
      for (const called of ['a', 'b'] as const) {
        const keys = ofType(commands, 'call.forks')
          .filter((command) => command.side === called)
          .flatMap(({ forks }) => forks.map((each) => each.key));
        assert.equal(new Set(keys).size, keys.length, keys.join());
      }
      const first = types.indexOf('call.forks');
      assert.equal(ofType(commands, 'publish.init').length, first < 0 ? 0 : 1);
      if (first >= 0) assert.ok(types.indexOf('publish.init') < first);
      const afterEnd = types.slice(types.indexOf('publish.end') + 1).filter((type) => type !== 'event.unexpected');
      if (types.includes('publish.end')) assert.deepEqual(afterEnd, ['publish.gone', 'publish.stop']);
    }),
    { numRuns: sized(75, 300) },
  );
});

test('a call that is stopped where it stands neither waits nor commands', async (t) => {
  await holds(
    t,
    fc.property(calls, ({ steps, ...input }) => {
      const walked = walk(dialogMachine, { input });
      for (const each of steps) if ('tell' in each) walked.send(each.tell(walked));
      walked.stop();
      assert.equal(walked.clock.pending, 0);
      const given = walked.commands.length;
      walked.pass(100_000_000);
      assert.equal(walked.commands.length, given);
    }),
  );
});

function byNumber(one: number, other: number): number {
  return one - other;
}
