/** A device's registration: in memory, by the own clock; as a copy for other instances; and which of two copies is newer. */
import type { BindingCopy } from './protocol/messages/registrar.ts';

/** A registration in an instance's memory. */
export type Binding = Omit<BindingCopy, 'leftMs'> & {
  /** When it ends, by the own clock (ms since the epoch). */
  readonly expiresMs: number;
};

/** The copy of a binding for other instances, at `nowMs` by the own clock. */
export function copyOf({ expiresMs, ...rest }: Binding, nowMs: number): BindingCopy {
  return { ...rest, leftMs: expiresMs - nowMs };
}

/** The binding in a copy that arrives at `nowMs` by the own clock. */
export function bindingOf({ leftMs, ...rest }: BindingCopy, nowMs: number): Binding {
  return { ...rest, expiresMs: nowMs + leftMs };
}

/** Until when older copies of a binding may exist elsewhere. `longestMs`: the life that registrations usually have at most. */
export function outweighsUntilMs({ changedMs, keptMs = 0 }: Binding, longestMs: number): number {
  return changedMs + Math.max(longestMs, keptMs);
}

/** The SIP user of a binding: `domain/login`. */
export function userOfBinding({ domain, login }: Pick<Binding, 'domain' | 'login'>): string {
  return `${domain}/${login}`;
}

/** The key that copies of one binding share. */
export function keyOfBinding({ domain, login, device }: Pick<Binding, 'domain' | 'login' | 'device'>): string {
  return `${domain}/${login}/${device}`;
}

/** The user in the key of a binding. */
export function userInKey(key: string): string {
  return key.split('/', 2).join('/');
}

/**
 * Whether `one` supersedes `other`: the one changed later; at the same time a removal; else the first by a total order over
 * their fields. So copies that arrive in any order, or twice, leave the same binding everywhere. The expiry does not count:
 * it differs by clock and transit time.
 */
export function isNewer(one: Binding, other: Binding): boolean {
  const [a, b] = [rankOf(one), rankOf(other)];
  for (const [index, value] of a.entries()) {
    const against = b[index] ?? 0;
    if (value !== against) return value > against;
  }
  return false;
}

function rankOf(binding: Binding): (string | number)[] {
  const { changedMs, isRemoved, callid, cseq, contact, path, userAgent } = binding;
  return [changedMs, isRemoved ? 1 : 0, cseq, callid, contact, path, userAgent];
}
