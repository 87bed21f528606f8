import type { Stores } from '../../ports/store.ts';
import type { Role, RoleScope } from '../../runtime/role.ts';

export function createCallstore(_scope: RoleScope, _stores: Stores): Role<'callstore'> {
  return { handlers: {} as never };
}
