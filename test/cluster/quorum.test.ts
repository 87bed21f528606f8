/** How a node applies the lease of an arbiter. */

import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Quorum } from '../../src/cluster/membership/quorum.ts';
import { ClusterView } from '../../src/cluster/membership/view.ts';
import type { Ask } from '../../src/cluster/messaging/asks.ts';
import { done, failed, fault } from '../../src/model/fault.ts';
import { RunningActors } from '../kit/cluster/actors.ts';
import { defaultMap } from '../kit/maps.ts';
import { idle, silentLog } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';

/** The quorum of node n1, whose only sibling is n2, with arbiters that answer when the test says so. */
function half() {
  const clock = new VirtualClock(0);
  const view = new ClusterView(defaultMap, 'n1', 1);
  const claims: { to: string; deadlineMs: number; answer: (granted: boolean) => void }[] = [];
  const log: string[] = [];
  const ask = (to: string, _type: string, _body: unknown, options?: { deadlineMs?: number }) =>
    new Promise((resolve) => {
      const deadlineMs = options?.deadlineMs ?? Infinity;
      const timer = clock.setTimer(deadlineMs - clock.now(), () => resolve(failed(fault('timeout', 'no answer'))));
      const answer = (granted: boolean) => {
        timer.cancel();
        resolve(done({ granted }));
      };
      claims.push({ to, deadlineMs, answer });
    });
  const arbiters = defaultMap.site('north').arbiters.map((name) => defaultMap.node(name));
  const note = () => log.push(`${quorum.isQuorate ? 'gained' : 'lost'} at ${clock.now()}`);
  const fail = (error: unknown) => {
    throw error;
  };
  const actors = new RunningActors(clock);
  const { find } = actors;
  const options = {
    view,
    clock,
    log: silentLog,
    ask: ask as Ask,
    find,
    arbiters,
    claimEveryMs: 1_000,
    onChange: note,
    onError: fail,
  };
  const quorum: Quorum = new Quorum(options);
  actors.run(Quorum.id, quorum.logic);
  view.onChange(() => quorum.look());
  quorum.look();
  const passTo = async (ms: number) => {
    for (await idle(); clock.now() < ms; await idle()) clock.advanceTo(Math.min(ms, clock.nextDeadlineMs() ?? ms));
  };
  return { clock, view, claims, log, actors, passTo };
}

test('half a site that has never seen the other half acts once an arbiter gives it the word', async (t) => {
  const { view, claims, log, passTo } = half();
  view.setPeer('n2', false);
  t.deepEqual([claims.length, log], [0, []]);
  await passTo(1);
  t.deepEqual(
    claims.map(({ to }) => to),
    ['hq/h1'],
  );
  claims[0]!.answer(true);
  await passTo(2);
  t.deepEqual(log, ['gained at 1']);
});

test('a site that loses its other half acts on until an arbiter denies it the word, and again when it is granted', async (t) => {
  const { view, claims, log, passTo } = half();
  view.setPeer('n2', true);
  await passTo(100);
  view.setPeer('n2', false);
  await passTo(150);
  t.deepEqual(log, ['gained at 0']);
  claims[0]!.answer(false);
  await passTo(1_100);
  t.deepEqual(log, ['gained at 0', 'lost at 150']);
  claims[1]!.answer(true);
  await passTo(1_200);
  t.deepEqual(log, ['gained at 0', 'lost at 150', 'gained at 1100']);
});

test('the word is asked for every interval for as long as the tie lasts, and no longer', async (t) => {
  const { view, claims, clock, passTo } = half();
  view.setPeer('n2', false);
  for (const second of [0, 1, 2, 3]) {
    await passTo(second * 1_000 + 1);
    claims.at(-1)!.answer(true);
  }
  t.is(claims.length, 4);
  view.setPeer('n2', true);
  t.is(clock.pending, 0);
});

test('arbiters are asked one after the other, and when none answers the word is denied', async (t) => {
  const { view, claims, log, passTo } = half();
  view.setPeer('n2', true);
  await passTo(100);
  view.setPeer('n2', false);
  await passTo(999);
  t.deepEqual(
    claims.map(({ to }) => to),
    ['hq/h1', 'hq/h2'],
  );
  t.is(log.length, 2);
  t.true(log[1]!.startsWith('lost at'));
});

test('what answers a claim of an earlier tie says nothing of the next one', async (t) => {
  const { view, claims, log, passTo } = half();
  view.setPeer('n2', true);
  await passTo(100);
  view.setPeer('n2', false);
  await passTo(101);
  view.setPeer('n2', true);
  view.setPeer('n2', false);
  claims[0]!.answer(false);
  await passTo(102);
  t.deepEqual([claims.length, log], [2, ['gained at 0']]);
  claims[1]!.answer(true);
  await passTo(103);
  t.deepEqual(log, ['gained at 0']);
});

test('a claim is over before the next one is made, so that no late denial undoes a grant', async (t) => {
  const { view, claims, log, passTo } = half();
  view.setPeer('n2', false);
  await passTo(1_000);
  const before = claims.filter(({ deadlineMs }) => deadlineMs < 1_000).length;
  t.is(before, 2, 'both arbiters were asked, in vain');
  claims[2]!.answer(true);
  await passTo(1_900);
  t.deepEqual(log, ['gained at 1000']);
});

test('a quorum that is stopped in the middle of a claim sends no further claims', async (t) => {
  const { view, claims, log, actors, clock, passTo } = half();
  view.setPeer('n2', false);
  await passTo(1);
  view.setPeer('n2', true);
  actors.stop();
  claims[0]!.answer(true);
  await passTo(10_000);
  t.deepEqual([claims.length, clock.pending, log], [1, 0, ['gained at 1']]);
});
