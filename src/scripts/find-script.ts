/** How a role finds a script: in the domain data that serve its domain. */
import { unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../cluster/role.ts';
import { done, failed } from '../model/fault.ts';
import type { Component } from '../model/script/component.ts';
import type { FindScript } from './effects.ts';

/** Finds scripts in the domain data. */
export function findScriptOf(scope: RoleScope): FindScript {
  return async (domain, kind, code) => {
    const directory = activeDirectory(scope, domain);
    if (directory === undefined) return failed(unreachableFault('mdc', scope.instance.site));
    const found = await scope.ask(directory.address, 'directory.script', { domain, kind, code });
    if (!found.ok) return found;
    return done(found.value.item?.['components'] as readonly Component[] | undefined);
  };
}
