/** What holds for every machine, whatever events it gets and however time passes in between. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AnyStateMachine, EventFromLogic, InputFrom } from 'xstate';
import { eventsOf } from '../../src/actors/compiled-machine.ts';
import { type BanEvent, banMachine } from '../../src/machines/access/ban.ts';
import { type SessionEvent, sessionMachine } from '../../src/machines/access/session.ts';
import { type SuspectEvent, suspectMachine } from '../../src/machines/access/suspect.ts';
import { type FailoverEvent, failoverMachine } from '../../src/machines/cluster/failover.ts';
import { type InstanceEvent, instanceMachine } from '../../src/machines/cluster/instance.ts';
import { type LeaseEvent, leaseMachine } from '../../src/machines/cluster/lease.ts';
import { type NodeEvent, nodeMachine } from '../../src/machines/cluster/node.ts';
import { type PeerEvent, peerMachine } from '../../src/machines/cluster/peer.ts';
import { type QuorumEvent, quorumMachine } from '../../src/machines/cluster/quorum.ts';
import { type ReplicationEvent, replicationMachine } from '../../src/machines/cluster/replication.ts';
import { type SupervisionEvent, supervisionMachine } from '../../src/machines/cluster/supervision.ts';
import { type MatcherEvent, matcherMachine } from '../../src/machines/matcher.ts';
import { type BindingEvent, bindingMachine } from '../../src/machines/registration/binding.ts';
import { type PingEvent, pingMachine } from '../../src/machines/registration/ping.ts';
import { type RegistrationEvent, registrationMachine } from '../../src/machines/registration/registration.ts';
import { type LegEvent, legMachine } from '../../src/machines/sip/leg.ts';
import { walk } from '../kit/machine-walk.ts';
import { holds, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

/** Makes an event when it is sent: some carry the time. */
type EventMaker<Event> = (nowMs: number) => Event;
type Step<Event> = { readonly passMs: number } | { readonly tell: EventMaker<Event> };

const plain = <Event extends { type: string }>(...types: Event['type'][]): fc.Arbitrary<EventMaker<Event>> =>
  fc.constantFrom(...types).map((type) => () => ({ type }) as Event);
const passing = fc
  .oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 4_000_000 }))
  .map((passMs) => ({ passMs }));
const ms = fc.integer({ min: -1_000, max: 5_000_000 });

function everywhere<M extends AnyStateMachine>(
  label: string,
  machine: M,
  makers: fc.Arbitrary<EventMaker<EventFromLogic<M>>>,
  inputs: fc.Arbitrary<InputFrom<M>>,
): void {
  const steps: fc.Arbitrary<Step<EventFromLogic<M>>[]> = fc.array(
    fc.oneof({ weight: 1, arbitrary: passing }, { weight: 3, arbitrary: makers.map((tell) => ({ tell })) }),
    { maxLength: 40 },
  );
  test(`${label}: no sequence of events makes it throw, and once stopped it neither waits nor commands`, async (t) => {
    await holds(
      t,
      fc.property(inputs, steps, (input, sequence) => {
        const walked = walk(machine, { input });
        for (const step of sequence) {
          if ('passMs' in step) walked.pass(step.passMs);
          else walked.send(step.tell(walked.clock.now()));
          assert.notEqual(walked.status, 'error');
        }
        walked.stop();
        assert.equal(walked.clock.pending, 0, 'stopped, it leaves a timer');
        const given = walked.commands.length;
        walked.pass(10_000_000);
        assert.equal(walked.commands.length, given, 'stopped, it still commands');
      }),
      { numRuns: sized(10, 40) },
    );
  });
}

const nothing = fc.constant(undefined);

for (const misses of [1, 3]) {
  const pings = plain<PeerEvent>('pong.received', 'ping.missed');
  everywhere(`a peer with a patience of ${misses}`, peerMachine(misses), pings, nothing);
}

everywhere('a leg', legMachine, plain<LegEvent>(...eventsOf(legMachine).map(({ type }) => type)), nothing);

everywhere(
  'a node',
  nodeMachine,
  plain<NodeEvent>('listening', 'fronts.close.requested', 'drain.requested', 'xstate.done.actor.ws-1'),
  fc.constant({ instances: [{ name: 'ws-1', address: 's/n/ws-1', isFront: true, isGateway: false }], backoffMs: 1 }),
);

for (const redundancy of ['active-active', 'active-passive'] as const) {
  const events = plain<InstanceEvent>('started', 'elected', 'deposed', 'drain.requested', 'drained');
  everywhere(`an instance, ${redundancy},`, instanceMachine(redundancy), events, nothing);
}

everywhere(
  'a failover',
  failoverMachine,
  plain<FailoverEvent>('election.not.needed', 'group.vacant', 'group.uncertain', 'member.must.step.down'),
  fc.record({ takeoverMs: fc.integer({ min: 1, max: 10_000 }) }),
);

everywhere(
  'a lease',
  leaseMachine,
  fc.oneof(
    fc.subarray(['n1', 'n2', 'n3']).map((side) => (): LeaseEvent => ({ type: 'claimed', side })),
    plain<LeaseEvent>('earlier.arbiter.seen'),
  ),
  fc.record({ leaseMs: fc.integer({ min: 1, max: 10_000 }) }),
);

const members = fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)).map(([reachable, pending, lost]): EventMaker<QuorumEvent> => {
  const total = 1 + reachable + pending + lost;
  return () => ({ type: 'members.seen', reachable: reachable + 1, pending, total });
});
everywhere('a quorum', quorumMachine, fc.oneof(members, plain<QuorumEvent>('tie.granted', 'tie.denied')), nothing);

everywhere(
  'supervision',
  supervisionMachine,
  fc.oneof(
    fc.constant((atMs: number): SupervisionEvent => ({ type: 'xstate.error.actor.instance', error: { atMs } })),
    plain<SupervisionEvent>('restart.requested', 'stop.requested', 'xstate.done.actor.instance'),
  ),
  fc.record({
    name: fc.constant('b2b-1'),
    address: fc.constant('s/n/b2b-1'),
    backoffMs: fc.integer({ min: 1, max: 10_000 }),
  }),
);

everywhere(
  'a consumer',
  replicationMachine,
  plain<ReplicationEvent>(
    'source.found',
    'source.away',
    'gap.noticed',
    'message.received',
    'pull.completed',
    'pull.failed',
  ),
  nothing,
);

const user = { id: 'u', login: 'u', name: 'U', roles: [], tags: [], passwordId: '' };
const used = fc.option(ms, { nil: undefined }).map((usedMs) => (usedMs === undefined ? {} : { usedMs }));
everywhere(
  'a session',
  sessionMachine,
  fc.oneof(
    used.map(
      (elsewhere) =>
        (atMs: number): SessionEvent => ({ type: 'session.used', atMs, ...elsewhere }),
    ),
    used.map(
      (elsewhere) =>
        (atMs: number): SessionEvent => ({
          type: 'session.switched',
          atMs,
          switchedMs: atMs,
          domain: 'd',
          ...elsewhere,
        }),
    ),
    plain<SessionEvent>('session.closed'),
  ),
  ms.map((lastUsedMs) => ({
    record: { key: 'k', homeDomain: 'd', domain: 'd', user, openedMs: 0, lastUsedMs, switchedMs: 0 },
    atMs: 0,
  })),
);

everywhere(
  'a suspect',
  suspectMachine,
  fc.constantFrom(
    (atMs: number): SuspectEvent => ({ type: 'attempt.failed', atMs }),
    (): SuspectEvent => ({ type: 'suspect.evicted' }),
  ),
  nothing,
);

everywhere(
  'a ban',
  banMachine,
  fc.oneof(
    ms.map(
      (forMs) =>
        (atMs: number): BanEvent => ({ type: 'ban.extended', atMs, untilMs: atMs + forMs }),
    ),
    plain<BanEvent>('ban.removed'),
  ),
  ms.map((untilMs) => ({ atMs: 0, untilMs })),
);

everywhere(
  'a matcher',
  matcherMachine,
  plain<MatcherEvent>('reload.requested'),
  fc.record({ loadMs: fc.integer({ min: 0, max: 5_000 }), fails: fc.integer({ min: 0, max: 3 }) }),
);

const response = fc.record(
  {
    type: fc.constant('response.received' as const),
    status: fc.oneof(fc.constantFrom(200, 401, 407, 503), fc.integer({ min: 200, max: 699 })),
    expiresSeconds: fc.integer({ min: -10, max: 100_000 }),
    lines: fc.array(fc.string(), { maxLength: 2 }),
  },
  { requiredKeys: ['type', 'status'] },
);
everywhere(
  'a registration',
  registrationMachine,
  fc.oneof(
    response.map((event) => (): RegistrationEvent => event as RegistrationEvent),
    plain<RegistrationEvent>('link.lost', 'ping.failed', 'account.removed'),
  ),
  fc.record({ registration: fc.boolean() }),
);

everywhere(
  'a ping',
  pingMachine,
  plain<PingEvent>('response.received', 'address.changed', 'account.removed'),
  fc.record({ ping: fc.boolean() }),
);

const binding = fc
  .record({ changedMs: ms, livesMs: fc.integer({ min: 0, max: 4_000_000 }), isRemoved: fc.boolean() })
  .map(({ livesMs, ...rest }) => ({
    domain: 'd',
    login: 'l',
    userid: 'u',
    device: 'x',
    contact: 'c',
    path: 'p',
    callid: 'c',
    cseq: 1,
    userAgent: '',
    ha1: '',
    expiresMs: rest.changedMs + livesMs,
    ...rest,
  }));
everywhere(
  'a binding',
  bindingMachine,
  binding.map(
    (copy) =>
      (atMs: number): BindingEvent => ({ type: 'copy.received', binding: copy, atMs }),
  ),
  binding.map((copy) => ({ binding: copy, atMs: 0, longestMs: 3_600_000 })),
);
