/** The internal SIP gate: keeps banned senders away from b2b. */
import type { Outside } from '../ports/outside.ts';
import type { Role, RoleScope } from '../runtime/role.ts';
import { NetworkFilter } from './network-filter.ts';

export function createSg(scope: RoleScope, _outside: Outside): Role<'sg'> {
  const filter = new NetworkFilter(scope);
  return { handlers: { ...filter.handlers, ...filter.adding, sip: () => {} }, stop: () => filter.stop() };
}
