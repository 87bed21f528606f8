/** Domain data that an instance has at hand, and who waits for those that it does not have yet. */

import type { RoleScope } from '../../cluster/role.ts';
import { failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database } from '../../storage/database.ts';

export interface Held {
  readonly database: Database;
  /** Of the files among them; a copy may not have all of them yet. */
  readonly contents: Contents;
  /** Of a copy: how old it may be, in milliseconds. */
  readonly ageMs?: number;
}

/** How old what is told of them may be. */
export function ageOf({ ageMs }: Held): { ageMs?: number } {
  return ageMs === undefined ? {} : { ageMs };
}

/** Finds the data of a domain. */
export interface Holder {
  /** `undefined`: they are not there (yet). */
  of(domain: string): Held | undefined;
  /** Those that every site has. */
  ofEverybody(): Held | undefined;
  /** Calls back, once, when something has come. Answers how to take that back. */
  onceMore(look: () => void): () => void;
}

/** Answers from the data of a domain: at once where they are there, else when they come, if that is soon. */
export function withData<T>(
  scope: RoleScope,
  holder: Holder,
  domain: string,
  work: (held: Held) => Outcome<T> | Promise<Outcome<T>>,
): Outcome<T> | Promise<Outcome<T>> {
  const held = holder.of(domain);
  return held === undefined
    ? waitFor(scope, holder, domain).then((later) => (later.ok ? work(later.value) : later))
    : work(held);
}

function waitFor({ clock, instance }: RoleScope, holder: Holder, domain: string): Promise<Outcome<Held>> {
  return new Promise((resolve) => {
    // Without data nothing was done: another instance may be asked.
    const impatience = clock.setTimer(limits.dataReadyMs, () => {
      takeBack();
      resolve(failed(fault('unreachable', `${instance.address} does not have the data of ${domain} yet`)));
    });
    let takeBack = () => {};
    const look = () => {
      const held = holder.of(domain);
      if (held === undefined) {
        takeBack = holder.onceMore(look);
        return;
      }
      impatience.cancel();
      resolve({ ok: true, value: held });
    };
    takeBack = holder.onceMore(look);
  });
}

/** Those who wait for data. */
export class Waiting {
  readonly #looks = new Set<() => void>();

  add(look: () => void): () => void {
    this.#looks.add(look);
    return () => this.#looks.delete(look);
  }

  /** Something has come. */
  call(): void {
    const looks = [...this.#looks];
    this.#looks.clear();
    for (const look of looks) look();
  }
}
