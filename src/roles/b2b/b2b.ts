import type { Role, RoleScope } from '../../runtime/role.ts';

export function createB2b(_scope: RoleScope): Role<'b2b'> {
  return { handlers: {} as never };
}
