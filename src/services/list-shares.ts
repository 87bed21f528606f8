/**
 * Lists are the longest work that a request can cause. Of each user a few are made at a time, and further ones wait until one
 * of these is done: hundreds of lists at once of one user delay the requests of other users little. (chosen)
 */
import type { RoleScope } from '../cluster/role.ts';
import { FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Clock } from '../ports/clock.ts';

interface Share {
  underWay: number;
  /** Lists that wait, in their order; each begins when it is called. */
  readonly waiting: Set<() => void>;
}

export class ListShares {
  readonly #clock: Clock;
  readonly #each: number;
  readonly #ofUser = new Map<string, Share>();

  constructor(clock: Clock, each: number) {
    this.#clock = clock;
    this.#each = each;
  }

  /** Users who have lists under way. */
  get users(): number {
    return this.#ofUser.size;
  }

  /** Does the work when the user has a share left. @throws FaultError `overloaded` where that takes longer than `patienceMs`. */
  async take<T>(user: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
    const share = this.#ofUser.get(user) ?? { underWay: 0, waiting: new Set() };
    this.#ofUser.set(user, share);
    if (share.underWay < this.#each) share.underWay += 1;
    else await this.#turn(share, patienceMs);
    try {
      return await work();
    } finally {
      this.#release(user, share);
    }
  }

  /** Resolves when another work of the user has ended, whose place this one takes. */
  #turn({ waiting }: Share, patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimer(patienceMs, () => {
        waiting.delete(begin);
        const message = `list: more than ${this.#each} lists of one user are being made: try again soon`;
        reject(new FaultError(fault('overloaded', message), { retryAfterSeconds: 1 }));
      });
      const begin = () => {
        timer.cancel();
        waiting.delete(begin);
        resolve();
      };
      waiting.add(begin);
    });
  }

  #release(user: string, share: Share): void {
    const [next] = share.waiting;
    if (next !== undefined) return next();
    share.underWay -= 1;
    if (share.underWay === 0) this.#ofUser.delete(user);
  }
}

const shares = new WeakMap<RoleScope, ListShares>();

/** The shares of an instance. */
export function listSharesOf(scope: RoleScope): ListShares {
  const known = shares.get(scope);
  if (known !== undefined) return known;
  const made = new ListShares(scope.clock, limits.listsOfUser);
  shares.set(scope, made);
  return made;
}
