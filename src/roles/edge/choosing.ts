/** Which b2b instance takes a call or a registration that comes from outside, without anybody remembering it. */
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { activeInstances } from '../../runtime/finding.ts';
import type { RoleScope } from '../../runtime/role.ts';
import { highestFor } from '../b2b/rendezvous.ts';

/**
 * The active b2b for a Call-Id: of the own site, else of the first other site that has one. It is drawn by hash, so that
 * a retry or a CANCEL finds the same one, and where an instance goes only its calls move.
 */
export function b2bFor(scope: RoleScope, callid: string): InstanceEntry | undefined {
  const all = activeInstances(scope, 'b2b');
  return highestFor(
    callid,
    all.filter(({ site }) => site === all[0]?.site),
  );
}
