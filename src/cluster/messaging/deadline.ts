/** The times of a request: one deadline for all instances that it asks, one after the other or at once. */
import type { RoleScope } from '../role.ts';

/** When a request that begins now has to be answered, less what it has spent before: ms of the clock of the node. */
export function deadlineOf({ clock, map, spentMs = 0 }: RoleScope): number {
  return clock.now() + map.topology.timings.requestDeadlineMs - spentMs;
}

/** The times of an ask that each of several instances may answer: a silent one is skipped after half of the time. */
export function timesOf(scope: RoleScope): { readonly deadlineMs: number; readonly patienceMs: number } {
  return { deadlineMs: deadlineOf(scope), patienceMs: scope.map.topology.timings.requestDeadlineMs / 2 };
}

/** A scope whose asks end, whatever they allow, when a request that begins now has to be answered. */
export function withDeadline(scope: RoleScope): RoleScope {
  const lastMs = deadlineOf(scope);
  const ask: RoleScope['ask'] = (to, type, body, options) =>
    scope.ask(to, type, body, { deadlineMs: Math.min(lastMs, options?.deadlineMs ?? lastMs) });
  return { ...scope, ask };
}
