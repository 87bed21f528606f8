/** The limits of an HTTP server that its operator can set: how many clients it serves, and for how long it waits for them. */
import { limits } from './limits.ts';

export const doorLimitNames = [
  'httpConnections',
  'connectionsPerAddress',
  'requestsPerConnection',
  'headerTimeMs',
  'requestTimeMs',
  'keepAliveMs',
  'writeTimeMs',
  'writeBytesPerSecond',
  'unreadBytes',
  'unreadBytesPerAddress',
  'sockets',
  'socketsPerAddress',
  'socketQueueBytes',
] as const satisfies readonly (keyof typeof limits)[];

export type DoorLimitName = (typeof doorLimitNames)[number];
export type DoorLimits = Readonly<Record<DoorLimitName, number>>;

/** The defaults, with `set` in their place. */
export function doorLimits(set: Partial<DoorLimits> = {}): DoorLimits {
  return { ...limits, ...set };
}
