/** Whether a cluster has settled: all nodes run and see each other, and every group has its active instance. */
import type { ClusterView } from '../../src/cluster/membership/view.ts';
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { roles } from '../../src/model/cluster/roles.ts';

/** What the world sees of a running node. */
export interface SeenNode {
  readonly isReady: boolean;
  readonly view: Pick<ClusterView, 'isReachable' | 'statusOf'>;
}

export interface SeenNodes {
  /** A node that runs. */
  node(name: string): SeenNode | undefined;
}

export class ConvergenceCheck {
  readonly #map: ClusterMap;
  readonly #nodes: SeenNodes;
  /** Instances of which one must be active: each active-active one by itself, and the members of each group. */
  readonly #serving: readonly (readonly InstanceEntry[])[];
  /** Whether what a node of an unsettled cluster missed is there by now. */
  #missing: (() => boolean) | undefined;

  constructor(map: ClusterMap, nodes: SeenNodes) {
    this.#map = map;
    this.#nodes = nodes;
    this.#serving = servingGroups(map);
  }

  /** Whether each node is ready, sees all others, and sees an active instance of every group. */
  get isComplete(): boolean {
    // It is asked after each event of a start: what was missing last is looked at first.
    if (this.#missing?.() === false) return false;
    for (const name of this.#map.nodes.keys()) {
      this.#missing = this.#missingAt(name);
      if (this.#missing !== undefined) return false;
    }
    return true;
  }

  /** What a node misses: a function that says whether it is there by now. */
  #missingAt(name: string): (() => boolean) | undefined {
    const sees = (look: (view: SeenNode['view']) => boolean) => () => {
      const node = this.#nodes.node(name);
      return node?.isReady === true && look(node.view);
    };
    const node = this.#nodes.node(name);
    if (node?.isReady !== true) return sees(() => true);
    const { view } = node;
    for (const other of this.#map.nodes.keys()) {
      if (!view.isReachable(other)) return sees((later) => later.isReachable(other));
    }
    for (const members of this.#serving) {
      if (!isServed(members, view)) return sees((later) => isServed(members, later));
    }
    return undefined;
  }
}

/** Whether a node sees that one of these is active. In a loop without closures, as this runs each second for each group. */
function isServed(members: readonly InstanceEntry[], view: SeenNode['view']): boolean {
  for (const member of members) if (view.statusOf(member) === 'active') return true;
  return false;
}

function servingGroups(map: ClusterMap): (readonly InstanceEntry[])[] {
  return [...map.instances.values()].flatMap((instance) => {
    const members = map.groupOf(instance);
    if (roles[instance.role].redundancy === 'active-passive' && members[0] !== instance) return [];
    return [instance.group === undefined ? [instance] : members];
  });
}
