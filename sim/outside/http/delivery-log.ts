/** The HTTP requests of scripts: each with its attempts, within a number and a size. */
import { FaultError, fault } from '../../../src/model/fault.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import type { ClientAnswer, ClientRequest, Delivery } from '../../../src/ports/http-client.ts';

/** A request that was sent once. */
export interface DeliveryAttempt {
  /** What sent it: the script, a replay by control, or a fault that duplicates or delays. */
  readonly by: 'script' | 'replay' | 'fault';
  readonly atMs: number;
  readonly endedMs?: number;
  /** The status of the answer. */
  readonly status?: number;
  readonly problem?: string;
  /** Whether it is certain that it has not arrived; only with a problem. */
  readonly isDefinite?: boolean;
}

/** A delivery as it is shown. */
export interface DeliveryView {
  readonly id: string;
  readonly domain: string;
  readonly run: string;
  readonly script: string;
  readonly component: string;
  readonly method: string;
  readonly url: string;
  /** The id of Standard Webhooks; absent without a signature. */
  readonly webhookid?: string;
  readonly outcome: 'open' | 'definite' | 'indefinite';
  /** The status of the last answer to the script or to a replay. */
  readonly status?: number;
  readonly attempts: readonly DeliveryAttempt[];
}

export interface DeliveryDetail extends DeliveryView {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A delivery with its last request. */
export class LoggedDelivery {
  readonly id: string;
  readonly delivery: Delivery;
  request: ClientRequest;
  #attempts: DeliveryAttempt[] = [];

  constructor(delivery: Delivery, request: ClientRequest) {
    this.id = idOf(delivery);
    this.delivery = delivery;
    this.request = request;
  }

  /** Letters of its request. */
  get letters(): number {
    return this.request.url.length + (this.request.body?.length ?? 0);
  }

  /** Notes an attempt. Returns the function that notes its answer. */
  begin(by: DeliveryAttempt['by'], nowMs: number): (answer: ClientAnswer, nowMs: number) => void {
    let attempt: DeliveryAttempt = { by, atMs: nowMs };
    this.#attempts.push(attempt);
    // The first one stays.
    if (this.#attempts.length > keptAttempts) this.#attempts.splice(1, 1);
    return (answer, endedMs) => {
      const { ok } = answer;
      const end = ok ? { status: answer.status } : { problem: answer.problem, isDefinite: answer.isDefinite };
      const ended = { ...attempt, endedMs, ...end };
      this.#attempts = this.#attempts.map((each) => (each === attempt ? ended : each));
      attempt = ended;
    };
  }

  view(): DeliveryView {
    const { id, delivery, request } = this;
    const { domain, run, script, component } = delivery;
    const { method, url, headers } = request;
    const webhookid = headers['webhook-id'];
    // A copy that a fault sends may be answered before the attempt itself.
    const status = this.#attempts.findLast((each) => each.by !== 'fault' && each.status !== undefined)?.status;
    return {
      id,
      domain,
      run,
      script,
      component,
      method,
      url,
      ...(webhookid !== undefined && { webhookid }),
      outcome: this.#outcome(),
      ...(status !== undefined && { status }),
      attempts: this.#attempts,
    };
  }

  detail(): DeliveryDetail {
    const { headers, body } = this.request;
    return { ...this.view(), headers, ...(body !== undefined && { body }) };
  }

  /** Definite: its last attempt was answered, or no attempt has arrived. */
  #outcome(): DeliveryView['outcome'] {
    const own = this.#attempts.filter(({ by }) => by !== 'fault');
    if (own.some(({ endedMs }) => endedMs === undefined)) return 'open';
    const isDefinite = own.at(-1)?.status !== undefined || own.every((each) => each.isDefinite === true);
    return isDefinite ? 'definite' : 'indefinite';
  }
}

const [keptDeliveries, keptChars, keptAttempts] = [1_000, 8 * 1024 * 1024, 50];

export class DeliveryLog {
  readonly #kept = new Map<string, LoggedDelivery>();
  #letters = 0;

  /** The oldest first. */
  get all(): readonly DeliveryView[] {
    return [...this.#kept.values()].map((each) => each.view());
  }

  /** Throws a `not_found` fault. */
  get(id: string): LoggedDelivery {
    const found = this.#kept.get(id);
    if (found !== undefined) return found;
    throw new FaultError(fault('not_found', `no delivery has the id "${id.slice(0, 100)}", or it is no longer kept`));
  }

  /** The delivery of a request: a new one, or the one of an earlier attempt. */
  of(delivery: Delivery, request: ClientRequest): LoggedDelivery {
    const known = this.#kept.get(idOf(delivery));
    if (known !== undefined) {
      this.#letters -= known.letters;
      known.request = request;
      this.#letters += known.letters;
      return known;
    }
    const added = new LoggedDelivery(delivery, request);
    this.#kept.set(added.id, added);
    this.#letters += added.letters;
    for (const [id, { letters }] of this.#kept) {
      if ((this.#kept.size <= keptDeliveries && this.#letters <= keptChars) || id === added.id) break;
      this.#kept.delete(id);
      this.#letters -= letters;
    }
    return added;
  }
}

/** The same for each attempt at an effect, on any instance. */
function idOf({ key }: Delivery): string {
  return namedUuid(key);
}
