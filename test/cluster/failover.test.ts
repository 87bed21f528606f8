/** Which instance of a group serves, as one node decides it from its view. */

import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Failover } from '../../src/cluster/membership/failover-judgement.ts';
import { ClusterView } from '../../src/cluster/membership/view.ts';
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../src/model/cluster/states.ts';
import { RunningActors } from '../kit/cluster/actors.ts';
import { oneSite } from '../kit/maps.ts';
import { test } from '../kit/test.ts';

const takeoverMs = 1_000;
const map = oneSite(3);
const members = map.groupOf(map.instancesOf('mware')[0] as InstanceEntry);

/** The failover of node `a2`, which has the second of three members, with what it sees of the others under control. */
function second() {
  const clock = new VirtualClock(0);
  const view = new ClusterView(map, 'a2', 1);
  const self = members[1] as InstanceEntry;
  const decisions: string[] = [];
  let isQuorate = true;
  let version = 0;
  const actors = new RunningActors(clock);
  const failover = new Failover({
    map,
    view,
    find: actors.find,
    isQuorate: () => isQuorate,
    decide: (instance, outcome) => {
      decisions.push(`${instance.name} ${outcome} at ${clock.now()}`);
      view.setInstance(instance.name, outcome === 'elected' ? 'active' : 'standby');
    },
  });
  actors.run(Failover.id(self.name), failover.logic, { takeoverMs });
  view.onChange(() => failover.look());
  const see = (node: string, status: InstanceStatus | 'gone') => {
    const member = members.find((each) => each.node === node) as InstanceEntry;
    if (status === 'gone') return view.setPeer(node, false);
    const instances = { [member.name]: status };
    view.setDigest(node, `1.${++version}`, { self: { incarnation: 1, instances }, home: {}, sites: {} });
    return view.setPeer(node, true);
  };
  return {
    clock,
    view,
    decisions,
    see,
    be: (status: InstanceStatus) => view.setInstance(self.name, status),
    setQuorate(value: boolean) {
      isQuorate = value;
      failover.look();
    },
  };
}

const elected = (atMs: number) => [`mware-21 elected at ${atMs}`];
const deposed = (atMs: number) => [`mware-21 deposed at ${atMs}`];

test('a standby that sees all others, none of them active nor before it, is elected at once', (t) => {
  const { see, be, decisions } = second();
  see('a1', 'stopped');
  see('a3', 'standby');
  be('standby');
  t.deepEqual(decisions, elected(0));
});

test('a standby stays while an earlier member may still be elected', (t) => {
  for (const status of ['starting', 'standby'] as const) {
    const { see, be, decisions, clock } = second();
    see('a1', status);
    see('a3', 'standby');
    be('standby');
    clock.advanceTo(60_000);
    t.deepEqual(decisions, [], status);
  }
});

test('a standby stays while another is active or finishes its work, whatever their order', (t) => {
  for (const status of ['active', 'draining'] as const) {
    for (const [busy, other] of [['a1', 'a3'] as const, ['a3', 'a1'] as const]) {
      const { see, be, decisions, clock } = second();
      see(busy, status);
      see(other, 'gone');
      be('standby');
      clock.advanceTo(60_000);
      t.deepEqual(decisions, [], `${busy} is ${status}`);
    }
  }
});

test('where members are out of reach it takes over after the takeover time, not sooner', (t) => {
  const { see, be, decisions, clock } = second();
  see('a1', 'active');
  see('a3', 'standby');
  be('standby');
  clock.advanceTo(5_000);
  see('a1', 'gone');
  clock.advanceTo(5_000 + takeoverMs - 1);
  t.deepEqual(decisions, []);
  see('a3', 'stopped');
  clock.advanceTo(20_000);
  t.deepEqual(decisions, elected(5_000 + takeoverMs), 'what else changes meanwhile does not prolong the wait');
  t.is(clock.pending, 0);
});

test('a standby does not take over from a member that is back in time', (t) => {
  const { see, be, decisions, clock } = second();
  see('a1', 'active');
  see('a3', 'standby');
  be('standby');
  see('a1', 'gone');
  clock.advanceTo(takeoverMs - 1);
  see('a1', 'active');
  t.is(clock.pending, 0);
  clock.advanceTo(60_000);
  t.deepEqual(decisions, []);
});

test('a wait that was given up begins anew, in full', (t) => {
  const { see, be, decisions, clock } = second();
  see('a1', 'active');
  see('a3', 'standby');
  be('standby');
  see('a1', 'gone');
  clock.advanceTo(900);
  see('a1', 'active');
  see('a1', 'gone');
  clock.advanceTo(60_000);
  t.deepEqual(decisions, elected(900 + takeoverMs));
});

test('without a quorum no instance is elected, and a wait ends', (t) => {
  const { see, be, decisions, clock, setQuorate } = second();
  see('a1', 'gone');
  see('a3', 'standby');
  be('standby');
  t.is(clock.pending, 1);
  setQuorate(false);
  t.is(clock.pending, 0);
  clock.advanceTo(60_000);
  t.deepEqual(decisions, []);
  setQuorate(true);
  clock.advanceTo(120_000);
  t.deepEqual(decisions, elected(60_000 + takeoverMs));
});

test('an active instance that loses the quorum steps down at once', (t) => {
  const { see, be, decisions, setQuorate } = second();
  see('a1', 'gone');
  see('a3', 'standby');
  be('active');
  t.deepEqual(decisions, []);
  setQuorate(false);
  t.deepEqual(decisions, deposed(0));
});

test('an active instance stays when an earlier member returns', (t) => {
  const { see, be, decisions, clock } = second();
  be('active');
  for (const status of ['starting', 'standby', 'stopped', 'draining'] as const) see('a1', status);
  clock.advanceTo(60_000);
  t.deepEqual(decisions, []);
});

test('of two active ones that see each other the later by order yields', (t) => {
  const { see, be, decisions } = second();
  be('active');
  see('a3', 'active');
  t.deepEqual(decisions, [], 'the third is later');
  see('a1', 'active');
  t.deepEqual(decisions, deposed(0));
});

test('an instance that starts, drains or has stopped is neither elected nor deposed', (t) => {
  for (const status of ['starting', 'draining', 'stopped'] as const) {
    const { see, be, decisions, clock, setQuorate } = second();
    be(status);
    see('a1', 'gone');
    see('a3', 'gone');
    setQuorate(false);
    setQuorate(true);
    clock.advanceTo(60_000);
    t.deepEqual(decisions, [], status);
  }
});

test('a group of one serves as soon as its site is quorate', (t) => {
  const lone = oneSite(1);
  const clock = new VirtualClock(0);
  const view = new ClusterView(lone, 'a1', 1);
  const decisions: string[] = [];
  let isQuorate = false;
  const decide = (_: InstanceEntry, verdict: string) => void decisions.push(verdict);
  const actors = new RunningActors(clock);
  const failover = new Failover({ map: lone, view, find: actors.find, isQuorate: () => isQuorate, decide });
  actors.run(Failover.id('mware-11'), failover.logic, { takeoverMs });
  view.setInstance('mware-11', 'standby');
  failover.look();
  t.deepEqual(decisions, []);
  isQuorate = true;
  failover.look();
  t.deepEqual(decisions, ['elected']);
});
