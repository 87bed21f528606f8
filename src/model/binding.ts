/** Copies of a device's registration, and which of two counts. */
import type { Binding } from './protocol/registrar.ts';

/** The SIP user of a binding: `domain/login`. */
export function userOfBinding({ domain, login }: Pick<Binding, 'domain' | 'login'>): string {
  return `${domain}/${login}`;
}

/** What two copies of one binding have in common. */
export function keyOfBinding({ domain, login, device }: Pick<Binding, 'domain' | 'login' | 'device'>): string {
  return `${domain}/${login}/${device}`;
}

/**
 * Whether `one` counts and `other` does not: the one changed later, of the same time a removal, else the first by a
 * total order over all that they say. So copies that arrive in any order, or twice, leave the same one everywhere.
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
  const { changedMs, isRemoved, expiresMs, callid, cseq, contact, path, userAgent } = binding;
  return [changedMs, isRemoved ? 1 : 0, expiresMs, cseq, callid, contact, path, userAgent];
}
