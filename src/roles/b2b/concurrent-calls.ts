/** The calls at once of SIP users: users with a limit are counted here and, for other instances, by callstore. */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { DialogRecord, Participation } from '../../model/protocol/messages/dialog.ts';
import type { SipUserRecord } from '../../model/protocol/messages/directory.ts';
import { wholeOf } from '../pieces.ts';

type User = Pick<SipUserRecord, 'domain' | 'login' | 'trunks'>;

export class ConcurrentCalls {
  readonly #scope: RoleScope;
  /** Calls of a user here, in the order in which they came. */
  readonly #taken = new Map<string, Set<string>>();
  /** Users by call. */
  readonly #users = new Map<string, string[]>();

  constructor(scope: RoleScope) {
    this.#scope = scope;
  }

  /** Takes a trunk of a user for a call. False when calls that were there before have all of them. */
  async take(dialogid: string, user: User): Promise<boolean> {
    if (user.trunks < 0) return true;
    const before = this.#enter(dialogid, keyOf(user.login, user.domain));
    if (before.size < user.trunks) for (const each of await this.#elsewhere(user)) before.add(each);
    return before.size < user.trunks;
  }

  /** Gives back what a call has taken. */
  release(dialogid: string): void {
    this.keep(dialogid, []);
  }

  /** Gives back what a call has taken for other users than these: they were called in vain, or redirected it. */
  keep(dialogid: string, parties: readonly Participation[]): void {
    const keys = this.#users.get(dialogid) ?? [];
    const kept = parties.map(({ name, domain }) => keyOf(name, domain)).filter((key) => keys.includes(key));
    for (const key of keys) if (!kept.includes(key)) this.#leave(dialogid, key);
    if (kept.length > 0) this.#users.set(dialogid, kept);
    else this.#users.delete(dialogid);
  }

  #leave(dialogid: string, key: string): void {
    const taken = this.#taken.get(key);
    taken?.delete(dialogid);
    if (taken?.size === 0) this.#taken.delete(key);
  }

  /** Notes a call of a user. Returns the calls that were there before. */
  #enter(dialogid: string, key: string): Set<string> {
    const taken = this.#taken.get(key) ?? new Set();
    this.#taken.set(key, taken.add(dialogid));
    this.#users.set(dialogid, [...(this.#users.get(dialogid) ?? []), key]);
    const all = [...taken];
    return new Set(all.slice(0, all.indexOf(dialogid)));
  }

  /** Calls of a user that other b2b instances have, as far as the callstores in reach know. */
  async #elsewhere({ domain, login }: User): Promise<string[]> {
    const { ask, instance } = this.#scope;
    const body = { domain, key: 'login' as const, values: [login] };
    const stores = activeInstances(this.#scope, 'callstore', domain);
    const found = await Promise.all(
      stores.map(async ({ address }) => {
        const answer = await ask(address, 'callstore.find', body);
        if (!answer.ok) return [];
        const { records: items, rest } = answer.value;
        const next = async (name: string) => ask(address, 'callstore.rest', { rest: name });
        const whole = await wholeOf<unknown>({ items, rest }, next);
        return whole.ok ? (whole.value as DialogRecord[]) : items;
      }),
    );
    return found
      .flat()
      .filter((record) => record.b2b !== instance.address)
      .map((record) => record.dialogid);
  }
}

function keyOf(login: string, domain: string): string {
  return `${login}@${domain}`;
}
