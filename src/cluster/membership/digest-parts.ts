/**
 * Parts of digests, compared and merged. Parts that have not changed stay the same objects, so that comparing two digests of a
 * large cluster compares references.
 */
import type { Digest, NodeState } from '../../model/protocol/messages/peer.ts';

export type Nodes = Digest['home'];
export type Site = Digest['sites'][string];

/** A digest with the values of `next` and, wherever they are equal, the objects of `before`. */
export function merged(before: Digest, next: Digest): Digest {
  const self = mergedState(before.self, next.self);
  const home = mergedNodes(before.home, next.home);
  const sites = mergedParts(before.sites, next.sites, mergedSite);
  const isSame = self === before.self && home === before.home && sites === before.sites;
  return isSame ? before : { self, home, sites };
}

/** Whether both have the same state objects, in the same order. */
export function sameNodes(one: Nodes, other: Nodes): boolean {
  return isSameRecord(one, other, Object.is);
}

function mergedNodes(before: Nodes, next: Nodes): Nodes {
  return mergedParts(before, next, mergedState);
}

function mergedSite(before: Site | undefined, next: Site): Site {
  const nodes = before === undefined ? next.nodes : mergedNodes(before.nodes, next.nodes);
  return nodes === before?.nodes && next.direct === before.direct ? before : { direct: next.direct, nodes };
}

function mergedState(before: NodeState | undefined, next: NodeState): NodeState {
  if (before === undefined || before.incarnation !== next.incarnation) return next;
  return isSameRecord(before.instances, next.instances, Object.is) ? before : next;
}

type Parts<T> = Readonly<Record<string, T>>;

function mergedParts<T>(
  before: Parts<T>,
  next: Parts<T>,
  merge: (one: T | undefined, other: T) => T,
): Record<string, T> {
  const parts: Record<string, T> = {};
  for (const [name, part] of Object.entries(next)) parts[name] = merge(before[name], part);
  return isSameRecord(before, parts, Object.is) ? (before as Record<string, T>) : parts;
}

function isSameRecord<T>(
  one: Parts<T>,
  other: Parts<T>,
  isSame: (a: T | undefined, b: T | undefined) => boolean,
): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  const others = Object.keys(other);
  if (names.length !== others.length) return false;
  return names.every((name, index) => name === others[index] && isSame(one[name], other[name]));
}
