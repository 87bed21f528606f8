import type { Role, RoleScope } from '../../runtime/role.ts';

export function createSr(_scope: RoleScope): Role<'sr'> {
  return { handlers: {} as never };
}
