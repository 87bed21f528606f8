/** A request that asks several instances one after the other has one deadline for all of them. */
import type { RoleScope } from '../cluster/role.ts';

/** A scope whose asks end, whatever they allow, when a request that begins now has to be answered. */
export function withDeadline(scope: RoleScope): RoleScope {
  const lastMs = scope.clock.now() + scope.map.topology.timings.requestDeadlineMs;
  const ask: RoleScope['ask'] = (to, type, body, options) =>
    scope.ask(to, type, body, { deadlineMs: Math.min(lastMs, options?.deadlineMs ?? lastMs) });
  return { ...scope, ask };
}
