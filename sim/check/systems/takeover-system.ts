/**
 * A site of two nodes that is cut in half, with a member of an active-passive group on each: quorum, failover and the lease of an
 * arbiter elsewhere. What a node notices of the other one, and when, is drawn; its claims may be lost.
 */
import type { AnyStateMachine } from 'xstate';
import { Failover } from '../../../src/cluster/membership/failover-judgement.ts';
import type { ClusterView } from '../../../src/cluster/membership/view.ts';
import { type FailoverCommand, type FailoverEvent, failoverMachine } from '../../../src/machines/cluster/failover.ts';
import { type LeaseCommand, leaseMachine } from '../../../src/machines/cluster/lease.ts';
import { type QuorumCommand, quorumMachine } from '../../../src/machines/cluster/quorum.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../../src/model/topology/schema.ts';
import type { Part, PartMessage, SystemCheck, View } from '../system/system-check.ts';
import {
  arbiterNode,
  type Half,
  type HalfCommand,
  leaseMs,
  linkMachine,
  memberMachine,
  nodeMachine,
  otherOf,
  overlapMachine,
  sides,
  takeoverMs,
} from './halves.ts';

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

const quorate = new Set(['quorate', 'tied.held', 'tied.won']);
const isQuorate = (view: View, side: Half) => quorate.has(view.state(`${side}Quorum`));
const serves = (view: View, side: Half) => view.state(`${side}Member`) === 'active';
const reaches = (view: View, side: Half) => !view.state(side).includes('lost');

/** What the product's rules of failover say to the member of a side. */
function judgement(view: View, side: Half): FailoverEvent | undefined {
  let event: FailoverEvent | undefined;
  const statusOf = (of: Half) => (serves(view, of) ? 'active' : 'standby');
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

function onNode(side: Half, command: HalfCommand, view: View): readonly PartMessage[] {
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
function answered(from: string, type: LeaseCommand['type'], view: View): readonly PartMessage[] {
  const [holder] = (view.context(from) as { readonly side: readonly Half[] }).side;
  if (holder === undefined) return [];
  const granted = type === 'granted';
  return [
    { to: granted ? holder : otherOf[holder], event: { type: 'claim.answered', granted } as PartMessage['event'] },
  ];
}

/** The lease of the present life. */
const leaseOf = (view: View) => (view.state('arbiterNode') === 'first' ? 'arbiter' : 'arbiterAgain');

type Given =
  | QuorumCommand
  | FailoverCommand
  | LeaseCommand
  | HalfCommand
  | { type: 'cut' | 'mended' | 'changed' | 'restarted' };

function onCommand(from: string, command: Given, view: View): readonly PartMessage[] {
  if (from === 'link')
    return sides.map((side) => surely(side, { type: command.type === 'cut' ? 'link.cut' : 'link.mended' }));
  if (command.type === 'restarted') return [surely('arbiterAgain', { type: 'restarted' })];
  if (from.startsWith('arbiter')) return answered(from, command.type as LeaseCommand['type'], view);
  const side: Half = from.startsWith('west') ? 'west' : 'east';
  if (from === side) return onNode(side, command as HalfCommand, view);
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

function partsOf(side: Half, initial: 'active' | 'standby'): Record<string, Part> {
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

/** The system with the lease of the product, or with another one. */
export const takeoverSystem = (lease: AnyStateMachine = leaseMachine): SystemCheck => ({
  name: 'quorum+arbiter',
  parts: {
    overlap: { machine: overlapMachine },
    arbiter: { machine: lease, input: { leaseMs } },
    arbiterAgain: { machine: lease, spawn: { on: 'restarted', input: () => ({ leaseMs }) } },
    arbiterNode: { machine: arbiterNode, ownerEvents: [{ event: { type: 'restart' }, times: 1 }] },
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
  onArrival: (message, view) => [
    { ...message, to: message.to === 'arbiter' ? leaseOf(view) : message.to, isReliable: true },
  ],
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
});
