/** The external SIP gate: keeps banned senders away, and holds the provider accounts that are pinned to it. */
import { done } from '../model/fault.ts';
import type { Outside } from '../ports/outside.ts';
import type { Role, RoleScope } from '../runtime/role.ts';
import { Accounts } from './accounts.ts';
import { NetworkFilter } from './network-filter.ts';

export function createEsg(scope: RoleScope, _outside: Outside): Role<'esg'> {
  const filter = new NetworkFilter(scope);
  const accounts = new Accounts(scope);
  return {
    handlers: {
      ...filter.handlers,
      ...filter.adding,
      sip: () => {},
      'edge.figures': ({ code }) =>
        done({ dlgcount: 0, callcount: 0, domains: [...scope.instance.domains], regs: accounts.list(code) }),
    },
    serve: () => accounts.start(),
    stop: () => {
      filter.stop();
      accounts.stop();
    },
  };
}
