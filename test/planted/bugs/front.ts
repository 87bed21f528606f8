/** Bugs of the front: ws. */

import type { RoleScope } from '../../../src/cluster/role.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { RoleName } from '../../../src/model/cluster/roles.ts';
import type { PlantedBug } from '../plant.ts';
import { everyNth, losing, spoiltStores } from '../spoiling.ts';

const role = 'ws';
const lateMs = 20_000;

export const frontBugs: readonly PlantedBug[] = [
  {
    name: 'fan-out-drops-one',
    does: 'ws forgets the last instance of a role when it asks all of them.',
    role,
    scope: (scope) => withRows(scope, (rows) => rows.slice(0, -1)),
  },
  {
    name: 'fan-out-doubles-one',
    does: 'ws asks the first instance of a role twice.',
    role,
    scope: (scope) => withRows(scope, (rows) => [...rows.slice(0, 1), ...rows]),
  },
  {
    name: 'late-answer',
    does: 'ws waits much longer than it may for every fifth answer.',
    role,
    scope: (scope) => {
      const isPicked = everyNth(5);
      const ask: RoleScope['ask'] = async (...question) => {
        const outcome = await scope.ask(...question);
        if (isPicked()) await new Promise<void>((resolve) => scope.clock.setTimer(lateMs, resolve));
        return outcome;
      };
      return { ...scope, ask };
    },
  },
  {
    name: 'session-outlives-logout',
    does: 'ws does not tell the other ws instances of a logout.',
    role,
    scope: (scope) => losing(scope, 'session.closed', () => true),
  },
  {
    name: 'logout-in-memory-only',
    does: 'ws acknowledges a logout and stores nothing of it.',
    role,
    stores: (stores) => spoiltStores(stores, () => ({ write: async () => {} })),
  },
];

type Rows = ReturnType<ClusterMap['rowsOf']>;

function withRows(scope: RoleScope, spoil: (rows: Rows) => Rows): RoleScope {
  const map = new Proxy(scope.map, {
    get(target, key) {
      if (key === 'rowsOf') return (each: RoleName) => spoil(target.rowsOf(each));
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { ...scope, map };
}
