import type { Role, RoleScope } from '../../runtime/role.ts';

export function createConf(_scope: RoleScope): Role<'conf'> {
  return { handlers: {} as never };
}
