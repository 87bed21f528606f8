/** What the clients of a front may use at once: lists by user, and bytes of archives by domain. */
import { FaultError, fault } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../ports/clock.ts';

interface Share {
  underWay: number;
  /** Lists that wait, in their order; each begins when it is called. */
  readonly waiting: Set<() => void>;
}

/**
 * Lists are the longest work that a request can cause. Of each user a few are made at a time, and further ones wait until one
 * of these is done: hundreds of lists at once of one user delay the requests of other users little. (chosen)
 */
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

/** How often a resource may be used at once: in total, and by one owner. */
interface SharesOptions {
  readonly all: number;
  readonly each: number;
}

/** Limits concurrent use of a resource, in total and per owner, so that one owner can't exhaust it for the others. */
export class ArchiveShares {
  readonly #options: SharesOptions;
  readonly #ofOwner = new Map<string, number>();
  #all = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  /** Reserves an amount for an owner. Returns false, and reserves nothing, if that exceeds a limit. */
  take(owner: string, more: number): boolean {
    const { all, each } = this.#options;
    const own = (this.#ofOwner.get(owner) ?? 0) + more;
    if (own > each || this.#all + more > all) return false;
    this.#ofOwner.set(owner, own);
    this.#all += more;
    return true;
  }

  /** Releases a reserved amount. */
  release(owner: string, less: number): void {
    const own = (this.#ofOwner.get(owner) ?? 0) - less;
    if (own < 0) throw new Error(`${owner} has released more than it reserved`);
    if (own === 0) this.#ofOwner.delete(owner);
    else this.#ofOwner.set(owner, own);
    this.#all -= less;
  }
}

/** Bytes of archives that a front is receiving, and is unpacking. */
export class ArchivesUnderWay {
  readonly received = new ArchiveShares({ all: limits.archiveBytesAtOnce, each: limits.archiveBytesAtOnceOfDomain });
  readonly unpacked = new ArchiveShares({ all: limits.unpackedBytesAtOnce, each: limits.unpackedBytesAtOnceOfDomain });
}
