import type { Role, RoleScope } from '../../runtime/role.ts';

export function createMware(_scope: RoleScope): Role<'mware'> {
  return { handlers: {} as never };
}
