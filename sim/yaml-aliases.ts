/** Aliases of a YAML file: that each has an anchor before it, and that a few lines do not stand for millions of values. */
import { type Alias, type Document, isAlias, isCollection, isNode, isPair, type Node, visit } from 'yaml';

export interface AliasFault {
  readonly offset: number;
  readonly message: string;
}

/** Values that the aliases of a file may stand for together. */
const mostAliased = 100_000;

/** What is wrong with aliases, in the order of the file. It is walked once, however many there are. */
export function aliasFaults(document: Document): AliasFault[] {
  const faults: AliasFault[] = [];
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const sizes = new Map<Node, number>();
  let aliased = 0;
  visit(document, {
    Node(_key, node) {
      const offset = node.range?.[0] ?? 0;
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target === undefined) {
        faults.push({ offset, message: `no anchor "${node.source}" before this alias` });
        return;
      }
      targets.set(node, target);
      const isFirst = aliased <= mostAliased;
      aliased += sizeOf(target, sizes, targets);
      if (isFirst && aliased > mostAliased) {
        faults.push({ offset, message: `expected aliases that stand for at most ${mostAliased} values in all` });
      }
    },
  });
  return faults;
}

/** How many values a node stands for, aliases in it resolved. A node that contains itself stands for endless many. */
function sizeOf(node: unknown, sizes: Map<Node, number>, targets: ReadonlyMap<Alias, Node>): number {
  if (isPair(node)) return sizeOf(node.key, sizes, targets) + sizeOf(node.value, sizes, targets);
  if (!isNode(node)) return 0;
  const known = sizes.get(node);
  if (known !== undefined) return known;
  sizes.set(node, Infinity);
  const parts = isAlias(node) ? [targets.get(node)] : isCollection(node) ? node.items : [];
  let size = 1;
  for (const part of parts) size += sizeOf(part, sizes, targets);
  sizes.set(node, size);
  return size;
}
