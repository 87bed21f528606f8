/** How a role finds a script: in the domain data that serve its domain. */
import { askInTurn, unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import { timesOf } from '../cluster/messaging/deadline.ts';
import { activeDirectories, type RoleScope } from '../cluster/role.ts';
import { done } from '../model/fault.ts';
import type { Component } from '../model/script/component.ts';
import type { FindScript } from './effects.ts';

/** Finds scripts in the domain data, in a copy of them as well where the nearest one does not answer. */
export function findScriptOf(scope: RoleScope): FindScript {
  return async (domain, kind, code) => {
    const question = { type: 'directory.script', body: { domain, kind, code }, ...timesOf(scope) } as const;
    const unreachable = unreachableFault('mdc', scope.instance.site);
    const found = await askInTurn(scope, activeDirectories(scope, domain), question, { unreachable });
    if (!found.ok) return found;
    return done(found.value.item?.['components'] as readonly Component[] | undefined);
  };
}
