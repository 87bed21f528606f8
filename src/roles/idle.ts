/** Roles without messages: they start, are elected, fail over and drain like all others. */
import type { Role } from '../cluster/role.ts';

export function createIdle(): Role<'rpco'> {
  return { handlers: {} };
}
