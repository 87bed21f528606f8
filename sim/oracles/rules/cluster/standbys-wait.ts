/** A standby waits before it takes over from a member that it cannot see. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { InstanceEntry, NodeEntry } from '../../../../src/model/cluster/cluster-map.ts';
import { roles } from '../../../../src/model/cluster/roles.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { byType, together } from '../kit/shared.ts';

/** Timers of one instant, and the rounding of clocks. */
const earlyMs = 50;

export const standbysWait: OracleMaker = {
  name: 'standbys-wait',
  rule: 'A standby that cannot see every member of its group waits for takeoverMs before it serves, so that a member on the other side of a partition can step down. One that sees a member which serves, or another node of its site sees it, or has been draining for two seconds, serves only when that has ended.',
  exclusions:
    'Members that another node of the site still sees, or saw when it sent its last digest: their status is known. Runs in which the clock of a node was wrong.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { takeoverMs } = map.topology.timings;
    const { quickMs, noticedMs } = boundsOf(map);
    const reachability = new Reachability(map);
    /** When a node lost sight of another one, or started. */
    const blindMs = new Map<string, number>();
    const startedMs = new Map<string, number>();
    /** The nodes of its site that each node reached by the last digest that another one has received of it; by both. */
    const told = new Map<string, ReadonlySet<string>>();
    const seenByAny = (watcher: InstanceEntry, other: InstanceEntry) =>
      reachability
        .seenBy(map.node(watcher.node))
        .some(
          (node) =>
            reachability.seenBy(node).some(({ name }) => name === other.node) ||
            told.get(`${watcher.node} ${node.name}`)?.has(other.node) === true,
        );
    /** Since when a member serves, until it has finished its work. */
    const servesMs = new Map<string, number>();
    const isKnown = (member: InstanceEntry, nowMs: number) =>
      nowMs - (servesMs.get(member.address) ?? nowMs) > noticedMs ||
      (reachability.statusOf(member) === 'draining' && reachability.standsMs(member, nowMs) > quickMs);
    const isStable = (node: NodeEntry, nowMs: number) => reachability.stableMs(node, nowMs) > quickMs;
    /** By a node itself, or by another node of its site. */
    const isSeenServing = (member: InstanceEntry, watcher: InstanceEntry, nowMs: number) => {
      const [there, here] = [map.node(member.node), map.node(watcher.node)];
      if (!isKnown(member, nowMs) || !isStable(there, nowMs) || !isStable(here, nowMs)) return false;
      const between = map.site(here.site).nodes.filter((node) => node === here || isStable(node, nowMs));
      return between.some(
        (node) =>
          (node === here || reachability.areTogether(here, node)) &&
          (node === there || reachability.areTogether(node, there)),
      );
    };
    return {
      listeners: together(reachability.listeners, {
        'node.ended': ({ node }) => {
          for (const { address } of map.node(node).instances) servesMs.delete(address);
        },
        'node.started': ({ node, atMs }) => {
          startedMs.set(node, atMs);
          for (const { name } of map.nodes.values()) told.delete(`${node} ${name}`);
        },
        'envelope.delivered': byType(['peer.digest', 'peer.pong'], ({ node, envelope: { from, body } }) => {
          const { digest } = body as BodyOf<'peer.pong'>;
          if (digest !== undefined) told.set(`${node} ${nodeOf(from)}`, new Set(Object.keys(digest.home)));
        }),
        'entity.state': {
          peer: ({ owner, key, state = '', before = '', atMs }) => {
            if (before.startsWith('up') && !state.startsWith('up')) blindMs.set(`${nodeOf(owner)} ${key}`, atMs);
          },
        },
        'instance.status': ({ instance: address, status, atMs }) => {
          const instance = map.instances.get(address);
          if (status !== 'active' && status !== 'draining') servesMs.delete(address);
          if (instance === undefined || status !== 'active') return;
          if (!servesMs.has(address)) servesMs.set(address, atMs);
          if (!areClocksRight()) return;
          if (roles[instance.role].redundancy !== 'active-passive') return;
          for (const other of map.groupOf(instance)) {
            if (isSeenServing(other, instance, atMs)) {
              check();
              fail(
                `${instance.name} serves while ${other.name} is ${reachability.statusOf(other)}, which it sees, or another node of its site`,
              );
            }
            if (other.node === instance.node || seenByAny(instance, other)) continue;
            const sinceMs =
              blindMs.get(`${instance.node} ${other.node}`) ?? startedMs.get(instance.node) ?? Number.NEGATIVE_INFINITY;
            check();
            if (atMs - sinceMs < takeoverMs - earlyMs)
              fail(`${instance.name} serves ${atMs - sinceMs} ms after it has lost sight of ${other.name}`);
          }
        },
      }),
    };
  },
};
