/** Announcements that called numbers play before they answer: each is given to an audio matcher for as long as it plays. */
import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { Call } from './call.ts';

export class CallAnnouncements {
  readonly #scope: RoleScope;
  /** The mware instance that listens to a leg, by its Call-Id. */
  readonly #matchers = new Map<string, string>();

  constructor(scope: RoleScope) {
    this.#scope = scope;
  }

  /** `plays`: what a leg plays now; undefined: nothing. */
  heard(callid: string, { dialogid, origin }: Call, plays: string | undefined): void {
    this.over(callid);
    if (plays === undefined) return;
    const [mware] = activeInstances(this.#scope, 'mware', origin.domain);
    if (mware === undefined) return;
    this.#matchers.set(callid, mware.address);
    this.#scope.tell(mware.address, 'matcher.listen', { dialogid, callid, plays });
  }

  /** The announcement that a leg plays was recognised. Returns whether it was listened to: once, also where the message comes twice. */
  recognised(callid: string): boolean {
    return this.#matchers.delete(callid);
  }

  /** The leg was answered, or is over: it plays no announcement any more. */
  over(callid: string): void {
    const mware = this.#matchers.get(callid);
    if (mware === undefined) return;
    this.#matchers.delete(callid);
    this.#scope.tell(mware, 'matcher.leave', { callid });
  }
}
