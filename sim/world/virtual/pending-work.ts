/**
 * Work of a virtual world that waits for the runtime instead of a timer, such as reading a body. Virtual time stops
 * while there is any.
 *
 * The number of event loop turns of such work depends on the version of Node, and a run must not. So each piece starts,
 * in its order, when nothing else can happen at that moment, and its result is delivered alone.
 */

/** Limit in real time: longer work must be waiting for virtual time, which would be a deadlock. */
const patienceRealMs = 30_000;
/** Real timers, also where virtual worlds may have none (`ambient-guard.ts`). */
const { setTimeout, clearTimeout } = globalThis;

interface Work {
  readonly order: number;
  readonly run: () => Promise<void>;
}

export class PendingWork {
  /** Sorted by order; pieces of the same order by arrival. */
  readonly #waiting: Work[] = [];
  readonly #patienceRealMs: number;
  #isBusy = false;
  /** Called when there is a new piece. */
  onWork: () => void = () => {};

  constructor(options: { patienceRealMs?: number } = {}) {
    this.#patienceRealMs = options.patienceRealMs ?? patienceRealMs;
  }

  /** Whether a piece of work is running. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves with the result of `work`, which runs in its turn. */
  do<T>(order: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const at = this.#waiting.findLastIndex((other) => other.order <= order) + 1;
      this.#waiting.splice(at, 0, { order, run: () => work().then(resolve, reject) });
      this.onWork();
    });
  }

  /** Does the first piece of work, if there is any. Rejects if it waits for virtual time. */
  async doFirst(): Promise<void> {
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#isBusy = true;
    let giveUp: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      giveUp = setTimeout(() => reject(new Error(stuckText(this.#patienceRealMs))), this.#patienceRealMs);
    });
    try {
      await Promise.race([work.run(), patience]);
    } finally {
      clearTimeout(giveUp);
      this.#isBusy = false;
    }
  }
}

function stuckText(realMs: number): string {
  const what = `a body of a request is read for ${realMs / 1_000} s of real time, in which virtual time is paused`;
  return `${what}; send a body that waits for virtual time with { isPaced: true }`;
}

/**
 * The same request with a body that is read in pieces, on demand of the front. Each read is pending work, so it takes no
 * virtual time. `order`: of the pending work.
 */
export function withPendingBody(request: Request, pending: PendingWork, order: number): Request {
  if (request.body === null) return request;
  const reader = request.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pending.do(order, () => reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Request(request, { body, duplex: 'half' });
}
