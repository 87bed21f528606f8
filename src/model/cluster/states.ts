/** The names of states on the wire and in the interface. */

/** The life of a role instance. Source: chosen. */
export const instanceStatuses = ['starting', 'active', 'standby', 'draining', 'stopped'] as const;
export type InstanceStatus = (typeof instanceStatuses)[number];

/** Whether an instance serves, and has its calls until they end. `undefined`: it is out of reach. */
export function isServing(status: InstanceStatus | undefined): boolean {
  return status === 'active' || status === 'draining';
}

/** The registration of a provider account. Source: documented. */
export const regstates = ['disabled', 'wait_result', 'registered', 'retry', 'detached'] as const;
export type Regstate = (typeof regstates)[number];

/** The connection check of a provider account. Source: documented. */
export const pingstates = ['disabled', 'ok', 'error'] as const;
export type Pingstate = (typeof pingstates)[number];
