/** A device's registration: as an instance keeps it, by its own clock, as others are told of it, and which of two copies counts. */
import type { BindingCopy } from './protocol/registrar.ts';

/** A registration as an instance keeps it. */
export type Binding = Omit<BindingCopy, 'leftMs'> & {
  /** When it ends, by the own clock (ms since the epoch). */
  readonly expiresMs: number;
};

/** What others are told of a binding at `nowMs` by the own clock. */
export function copyOf({ expiresMs, ...rest }: Binding, nowMs: number): BindingCopy {
  return { ...rest, leftMs: expiresMs - nowMs };
}

/** The binding that a copy tells of, which arrives at `nowMs` by the own clock. */
export function bindingOf({ leftMs, ...rest }: BindingCopy, nowMs: number): Binding {
  return { ...rest, expiresMs: nowMs + leftMs };
}

/** The SIP user of a binding: `domain/login`. */
export function userOfBinding({ domain, login }: Pick<Binding, 'domain' | 'login'>): string {
  return `${domain}/${login}`;
}

/** What two copies of one binding have in common. */
export function keyOfBinding({ domain, login, device }: Pick<Binding, 'domain' | 'login' | 'device'>): string {
  return `${domain}/${login}/${device}`;
}

/** The user of the binding that has this key. */
export function userInKey(key: string): string {
  return key.split('/', 2).join('/');
}

/**
 * Whether `one` counts and `other` does not: the one changed later, of the same time a removal, else the first by a
 * total order over all that they say. So copies that arrive in any order, or twice, leave the same one everywhere. When they
 * end says nothing: one binding ends at other times by other clocks, and each time on the way moves that.
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
