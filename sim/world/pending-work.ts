/**
 * Work of a virtual world that waits for the runtime and not for a timer, such as reading a body. Virtual time stands still
 * while there is any.
 *
 * How many turns of the event loop such work takes depends on the version of Node, and nothing may depend on that. So each
 * piece starts when nothing else can happen at its moment, by its order, and its result is handed on alone.
 */

/** Work that takes longer can only be waiting for virtual time, which waits for it. */
const patienceRealMs = 30_000;

interface Work {
  readonly order: number;
  readonly run: () => Promise<void>;
}

export class PendingWork {
  /** By order; pieces of one order as they came. */
  readonly #waiting: Work[] = [];
  readonly #patienceRealMs: number;
  #isBusy = false;

  constructor(options: { patienceRealMs?: number } = {}) {
    this.#patienceRealMs = options.patienceRealMs ?? patienceRealMs;
  }

  /** Whether a piece of work is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves with the result of `work`, which is done in its turn, once virtual time is waited for. */
  do<T>(order: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const at = this.#waiting.findLastIndex((other) => other.order <= order) + 1;
      this.#waiting.splice(at, 0, { order, run: () => work().then(resolve, reject) });
    });
  }

  /** Does the first piece of work, if there is any. Rejects where that waits for virtual time. */
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
  const what = `a body of a request is read for ${realMs / 1_000} s of real time, in which virtual time stands still`;
  return `${what}; send a body that waits for virtual time with { isPaced: true }`;
}

/** The body of a request to a virtual world, as its front reads it: each read is pending work, so it takes no virtual time. */

/** The same request; its body is read piece by piece, when the front asks for the next one. `order`: of the pending work. */
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
