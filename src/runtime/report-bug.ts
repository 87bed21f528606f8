/** Reports a bug that fails one request or one socket, and does not end the instance. */
import type { RoleScope } from './role.ts';

/** Logs what was thrown under a reference that the client can quote. */
export function reportBug({ random, log }: Pick<RoleScope, 'random' | 'log'>, error: unknown): string {
  const reference = Buffer.from(random.stream('ids').bytes(6)).toString('hex');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.write('error', 'bug', { reference, stack });
  return reference;
}
