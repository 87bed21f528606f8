import type { Role, RoleScope } from '../../runtime/role.ts';

export function createIvr(_scope: RoleScope): Role<'ivr'> {
  return { handlers: {} as never };
}
