/** Bugs of the runtime below the roles: which instance of a group serves. They come with the first instance of a group that a node makes. */
import type { ClusterView } from '../../../src/cluster/membership/view.ts';
import type { PlantedBug } from '../plant.ts';

export const clusterBugs: readonly PlantedBug[] = [
  {
    name: 'half-is-enough',
    does: 'a node thinks that half of its site is enough to serve, and asks no arbiter.',
    role: 'callstore',
    scope: (scope) => {
      const { view } = scope;
      const right = () => Reflect.get(Object.getPrototypeOf(view), 'members', view) as ClusterView['members'];
      Object.defineProperty(view, 'members', {
        get: () => ({ ...right(), total: right().total - 1 }),
        configurable: true,
      });
      return scope;
    },
  },
];
