/** Roles that take no messages yet but live like all others: they start, are elected, fail over, drain. */
import type { Role } from '../cluster/role.ts';

export function createIdle(): Role<'rpco'> {
  return { handlers: {} };
}
