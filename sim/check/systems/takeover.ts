/**
 * A site of two nodes that is cut in half, with a member of an active-passive group on each: quorum, failover and the lease of an
 * arbiter elsewhere. What a node notices of the other one, and when, is drawn; its claims may be lost.
 */
import { emit, setup } from 'xstate';
import { Failover } from '../../../src/cluster/membership/failover.ts';
import type { ClusterView } from '../../../src/cluster/membership/view.ts';
import { type FailoverCommand, type FailoverEvent, failoverMachine } from '../../../src/machines/cluster/failover.ts';
import { type LeaseCommand, leaseMachine } from '../../../src/machines/cluster/lease.ts';
import { type QuorumCommand, quorumMachine } from '../../../src/machines/cluster/quorum.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { timingsSchema, topologySchema } from '../../../src/model/topology/schema.ts';
import type { Part, PartMessage, SystemCheck, View } from '../system/system-check.ts';

const { pingIntervalMs, pingPatienceMs, pingMisses, takeoverMs } = timingsSchema.parse({});
/** As the node sets them (`cluster/node-parts.ts`). */
const claimEveryMs = pingIntervalMs;
const leaseMs = 3 * claimEveryMs;
const claimPatienceMs = claimEveryMs / 2;
/** After a cut a node misses the other one between these times: a ping may have been answered just before, or was just due. */
const noticedMs = { earliest: (pingMisses - 1) * pingIntervalMs, latest: pingMisses * pingIntervalMs + pingPatienceMs };
/** How long both members may serve: as much later as one node may notice the cut, and until its claim is refused. */
const overlapMs = noticedMs.latest - noticedMs.earliest + claimPatienceMs - takeoverMs;

const sides = ['west', 'east'] as const;
type Side = (typeof sides)[number];
const otherOf = { west: 'east', east: 'west' } as const;

const map = new ClusterMap(
  topologySchema.parse({
    name: 'halves',
    sites: [
      {
        name: 'halves',
        type: 'master_communication',
        domains: ['root.test'],
        nodes: sides.map((name, index) => ({
          name,
          ip: `10.0.0.${index + 1}`,
          instances: [{ role: 'mware', srvidx: index + 1, group: 1, order: index + 1 }],
        })),
      },
    ],
    domains: [{ name: 'root.test' }],
  }),
);

/** What a node sees of the other one, with its claims: it claims while half of the site is in reach. */
const nodeMachine = setup({
  types: {
    events: {} as
      | { type: 'link.cut' | 'link.mended' | 'peer.missed' | 'tie.entered' | 'tie.left' | 'view.changed' }
      | Answer,
    emitted: {} as NodeCommand,
  },
  actions: {
    seeBoth: emit({ type: 'sees', reachable: 2 }),
    seeHalf: emit({ type: 'sees', reachable: 1 }),
    claim: emit({ type: 'claim' }),
    giveUp: emit({ type: 'refused' }),
    passOn: emit(({ event }) => ({ type: (event as Answer).granted ? 'granted' : 'refused' })),
    judge: emit({ type: 'judge' }),
  },
  delays: {
    earliest: noticedMs.earliest,
    rest: noticedMs.latest - noticedMs.earliest,
    claimEvery: claimEveryMs,
    claimPatience: claimPatienceMs,
  },
}).createMachine({
  id: 'node',
  type: 'parallel',
  on: { 'view.changed': { actions: 'judge' } },
  states: {
    peer: {
      initial: 'reached',
      states: {
        reached: { entry: 'seeBoth', on: { 'link.cut': 'unheard' } },
        unheard: { after: { earliest: 'missing' }, on: { 'link.mended': 'reached' } },
        missing: { after: { rest: 'lost' }, on: { 'peer.missed': 'lost', 'link.mended': 'reached' } },
        lost: { entry: 'seeHalf', on: { 'link.mended': 'reached' } },
      },
    },
    claims: {
      initial: 'none',
      states: {
        none: { on: { 'tie.entered': 'some' } },
        some: {
          initial: 'open',
          after: { claimEvery: { target: 'some', reenter: true } },
          on: { 'tie.left': 'none' },
          states: {
            open: {
              entry: 'claim',
              after: { claimPatience: { target: 'answered', actions: 'giveUp' } },
              on: { 'claim.answered': { target: 'answered', actions: 'passOn' } },
            },
            answered: {},
          },
        },
      },
    },
  },
});

interface Answer {
  readonly type: 'claim.answered';
  readonly granted: boolean;
}
type NodeCommand = { type: 'sees'; reachable: number } | { type: 'claim' | 'granted' | 'refused' | 'judge' };

const linkMachine = setup({
  types: { events: {} as { type: 'cut' | 'mend' }, emitted: {} as { type: 'cut' | 'mended' } },
  actions: { cut: emit({ type: 'cut' }), mended: emit({ type: 'mended' }) },
}).createMachine({
  id: 'link',
  initial: 'whole',
  states: {
    whole: { on: { cut: { target: 'cut', actions: 'cut' }, mend: {} } },
    cut: { on: { mend: { target: 'whole', actions: 'mended' } } },
  },
});

/** A member of the group. */
const memberMachine = (initial: 'active' | 'standby') =>
  setup({
    types: { events: {} as { type: 'elected' | 'deposed' }, emitted: {} as { type: 'changed' } },
    actions: { changed: emit({ type: 'changed' }) },
  }).createMachine({
    id: 'member',
    initial,
    states: {
      active: { on: { deposed: { target: 'standby', actions: 'changed' }, elected: {} } },
      standby: { on: { elected: { target: 'active', actions: 'changed' }, deposed: {} } },
    },
  });

/** For how long both members serve. */
const overlapMachine = setup({
  types: { events: {} as { type: 'both.serve' | 'one.serves' } },
  delays: { bound: overlapMs + 1 },
}).createMachine({
  id: 'overlap',
  initial: 'none',
  states: {
    none: { on: { 'both.serve': 'short', 'one.serves': {} } },
    short: { after: { bound: 'long' }, on: { 'one.serves': 'none', 'both.serve': {} } },
    long: { on: { 'one.serves': 'none', 'both.serve': {} } },
  },
});

const quorate = new Set(['quorate', 'tied.held', 'tied.won']);
const isQuorate = (view: View, side: Side) => quorate.has(view.state(`${side}Quorum`));
const serves = (view: View, side: Side) => view.state(`${side}Member`) === 'active';
const reaches = (view: View, side: Side) => !view.state(side).includes('lost');

/** What the product's rules of failover say to the member of a side. */
function judgement(view: View, side: Side): FailoverEvent | undefined {
  let event: FailoverEvent | undefined;
  const statusOf = (of: Side) => (serves(view, of) ? 'active' : 'standby');
  const seen: Pick<ClusterView, 'self' | 'statusOf' | 'reportedStatusOf'> = {
    self: map.node(side),
    statusOf: () => statusOf(side),
    reportedStatusOf: () => (reaches(view, side) ? statusOf(otherOf[side]) : undefined),
  };
  const actor = {
    send: (sent: FailoverEvent) => {
      event = sent;
    },
    getSnapshot: () => ({ value: view.state(`${side}Failover`) }),
  };
  new Failover({
    map,
    view: seen as ClusterView,
    find: () => actor as never,
    isQuorate: () => isQuorate(view, side),
    decide: () => {},
  }).look();
  return event;
}

const surely = (to: string, event: PartMessage['event']): PartMessage => ({ to, event, isReliable: true });

function onNode(side: Side, command: NodeCommand, view: View): readonly PartMessage[] {
  const toQuorum = (event: PartMessage['event']) => surely(`${side}Quorum`, event);
  switch (command.type) {
    case 'sees': {
      const seen = { type: 'members.seen', reachable: command.reachable, pending: 0, total: 2 } as PartMessage['event'];
      return [toQuorum(seen), surely(side, { type: 'view.changed' })];
    }
    case 'claim':
      return [{ to: 'arbiter', event: { type: 'claimed', side: [side] } as PartMessage['event'] }];
    case 'granted':
      return [toQuorum({ type: 'tie.granted' })];
    case 'refused':
      return [toQuorum({ type: 'tie.denied' })];
    case 'judge': {
      const event = judgement(view, side);
      return event === undefined ? [] : [surely(`${side}Failover`, event)];
    }
  }
}

/** The lease is held by the side that it was granted to last; the other one was refused. */
function answered(type: LeaseCommand['type'], view: View): readonly PartMessage[] {
  const [holder] = (view.context('arbiter') as { readonly side: readonly Side[] }).side;
  if (holder === undefined) return [];
  const granted = type === 'granted';
  return [
    { to: granted ? holder : otherOf[holder], event: { type: 'claim.answered', granted } as PartMessage['event'] },
  ];
}

type Given = QuorumCommand | FailoverCommand | LeaseCommand | NodeCommand | { type: 'cut' | 'mended' | 'changed' };

function onCommand(from: string, command: Given, view: View): readonly PartMessage[] {
  if (from === 'link')
    return sides.map((side) => surely(side, { type: command.type === 'cut' ? 'link.cut' : 'link.mended' }));
  if (from === 'arbiter') return answered(command.type as LeaseCommand['type'], view);
  const side: Side = from.startsWith('west') ? 'west' : 'east';
  if (from === side) return onNode(side, command as NodeCommand, view);
  switch (command.type) {
    case 'quorum.gained':
    case 'quorum.lost':
      return [surely(side, { type: 'view.changed' })];
    case 'tie.entered':
    case 'tie.left':
      return [surely(side, { type: command.type })];
    case 'elect':
    case 'depose':
      return [surely(`${side}Member`, { type: command.type === 'elect' ? 'elected' : 'deposed' })];
    case 'changed':
      return [
        surely('overlap', { type: sides.every((each) => serves(view, each)) ? 'both.serve' : 'one.serves' }),
        ...sides.map((each) => surely(each, { type: 'view.changed' })),
      ];
    default:
      return [];
  }
}

function partsOf(side: Side, initial: 'active' | 'standby'): Record<string, Part> {
  return {
    [`${side}Quorum`]: { machine: quorumMachine },
    [`${side}Failover`]: { machine: failoverMachine, input: { takeoverMs } },
    [`${side}Member`]: { machine: memberMachine(initial) },
    [side]: {
      machine: nodeMachine,
      ownerEvents: [{ event: { type: 'peer.missed' }, times: 2, when: (view) => view.state(side).includes('missing') }],
    },
  };
}

export const takeoverSystem: SystemCheck = {
  name: 'quorum+arbiter',
  parts: {
    overlap: { machine: overlapMachine },
    arbiter: { machine: leaseMachine, input: { leaseMs } },
    ...partsOf('west', 'active'),
    ...partsOf('east', 'standby'),
    link: {
      machine: linkMachine,
      ownerEvents: [
        { event: { type: 'cut' }, times: 2 },
        { event: { type: 'mend' }, times: 1 },
      ],
    },
  },
  onCommand: ({ from, command, view }) => onCommand(from, command as Given, view),
  channel: { losses: 1, duplicates: 0, inFlight: 2, latencyMs: 100 },
  rules: {
    'the arbiter lets one side act': (view) => !sides.every((side) => view.state(`${side}Quorum`) === 'tied.won'),
    'both members serve only until the later node has noticed the cut': (view) => view.state('overlap') !== 'long',
    'no member serves without quorum': (view) => sides.every((side) => !serves(view, side) || isQuorate(view, side)),
  },
  agree: (view) => {
    const serving = sides.filter((side) => serves(view, side));
    const isWhole = sides.every((side) => view.state(`${side}Quorum`) === 'quorate');
    return (isWhole && serving.length === 1) || `${serving.join(' and ') || 'no member'} serves`;
  },
  mend: [surely('link', { type: 'mend' })],
  scenario: (move) => {
    if (move === 'link is sent cut') return [{ fault: { cut: { from: 'west', to: 'east' }, name: 'halves' } }];
    return move === 'link is sent mend' ? [{ fault: { mend: 'halves' } }] : [];
  },
  bound: { depth: 60, states: 60_000, healedWithinMs: 60_000 },
};
