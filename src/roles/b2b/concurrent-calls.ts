/** The calls at once of SIP users: users with a limit are counted here and, for other instances, by callstore. */

import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { DialogRecord, LegRecord, Participation, Side } from '../../model/protocol/messages/dialog.ts';
import type { SipUserRecord } from '../../model/protocol/messages/directory.ts';
import { wholeOf } from '../pieces.ts';
import type { Call } from './call.ts';

/** A leg here, and its call. */
interface FoundLeg {
  readonly call: Call;
  readonly side: Side;
}

/** The calls of a user are known by its id: its login may change. */
type User = Pick<SipUserRecord, 'domain' | 'id' | 'trunks'>;

/** A call that takes a trunk. The call of which it takes the place does not count. */
export interface CountedCall {
  readonly dialogid: string;
  /** The leg that it replaces at the callee. */
  readonly replaced: string | undefined;
  /** The leg of the party that has referred the caller. */
  readonly referring: string | undefined;
}

export class ConcurrentCalls {
  readonly #scope: RoleScope;
  readonly #legOf: (callid: string) => FoundLeg | undefined;
  /** Calls of a user here, by its id, in the order in which they came. */
  readonly #taken = new Map<string, Set<string>>();
  /** Ids of users by call. */
  readonly #users = new Map<string, string[]>();

  constructor(scope: RoleScope, legOf: (callid: string) => FoundLeg | undefined) {
    this.#scope = scope;
    this.#legOf = legOf;
  }

  /**
   * Takes a trunk of a user for a call. False when calls that were there before have all of them. Calls of users without a limit
   * count too: the user may get one.
   */
  async take(counted: CountedCall, user: User): Promise<boolean> {
    const { dialogid } = counted;
    const hadOne = this.#taken.get(user.id)?.has(dialogid) === true;
    const before = callsBefore(dialogid, this.#enter(dialogid, user.id));
    const isTaken = user.trunks < 0 || (await this.#isFree(before, counted, user));
    // A call that is redirected to the user may go on to others.
    if (!isTaken && !hadOne) this.#withdraw(dialogid, user.id);
    return isTaken;
  }

  /** Whether calls that were there before leave a trunk for this one. */
  async #isFree(before: Set<string>, counted: CountedCall, user: User): Promise<boolean> {
    for (const callid of [counted.replaced ?? '', counted.referring ?? '']) {
      const leg = this.#legOf(callid);
      if (leg !== undefined && isFollowed(leg.call, { ...leg, callid }, { ...counted, user }))
        before.delete(leg.call.dialogid);
    }
    if (before.size < user.trunks) for (const each of await this.#elsewhere({ ...counted, user })) before.add(each);
    return before.size < user.trunks;
  }

  /** Gives back what a call has taken. */
  release(dialogid: string): void {
    this.keep(dialogid, []);
  }

  /** Gives back what a call has taken for other users than these: they were called in vain, or redirected it. */
  keep(dialogid: string, parties: readonly Participation[]): void {
    const ids = this.#users.get(dialogid) ?? [];
    const kept = parties.flatMap(({ id }) => (id !== undefined && ids.includes(id) ? [id] : []));
    for (const id of ids) if (!kept.includes(id)) this.#leave(dialogid, id);
    this.#note(dialogid, kept);
  }

  #withdraw(dialogid: string, id: string): void {
    this.#leave(dialogid, id);
    const ids = this.#users.get(dialogid) ?? [];
    this.#note(
      dialogid,
      ids.filter((each) => each !== id),
    );
  }

  #note(dialogid: string, ids: string[]): void {
    if (ids.length > 0) this.#users.set(dialogid, ids);
    else this.#users.delete(dialogid);
  }

  #leave(dialogid: string, id: string): void {
    const taken = this.#taken.get(id);
    taken?.delete(dialogid);
    if (taken?.size === 0) this.#taken.delete(id);
  }

  /** Notes a call of a user. Returns all calls of the user here. */
  #enter(dialogid: string, id: string): ReadonlySet<string> {
    const taken = this.#taken.get(id) ?? new Set();
    this.#taken.set(id, taken.add(dialogid));
    this.#users.set(dialogid, [...(this.#users.get(dialogid) ?? []), id]);
    return taken;
  }

  /** Calls of a user that other b2b instances have, as far as the callstores in reach know. One that is ending has given its trunk back. */
  async #elsewhere(counted: CountedCall & { readonly user: User }): Promise<string[]> {
    const { domain, id } = counted.user;
    const { ask, instance } = this.#scope;
    const body = { domain, key: 'sipuserid' as const, values: [id] };
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
      .filter(({ b2b, status }) => b2b !== instance.address && status !== 'ending')
      .filter((record) => !record.legs.some((leg) => isFollowed(record, leg, counted)))
      .map(({ dialogid }) => dialogid);
  }
}

/** The calls that were there before this one. */
function callsBefore(dialogid: string, taken: ReadonlySet<string>): Set<string> {
  const all = [...taken];
  return new Set(all.slice(0, all.indexOf(dialogid)));
}

/** Whether another call of a user takes the place of the call of a leg. By a REFER only it gets to know the leg of its opponent. */
function isFollowed(
  { participations }: Pick<Call, 'participations'>,
  leg: Pick<LegRecord, 'callid' | 'side'>,
  { user, replaced, referring }: CountedCall & { readonly user: User },
): boolean {
  const isOwn = () => participations.some(({ side, id }) => side === leg.side && id === user.id);
  return leg.callid === replaced || (leg.callid === referring && !isOwn());
}
