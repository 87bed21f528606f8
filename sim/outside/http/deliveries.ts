/** Delivers the HTTP requests of scripts to other systems: keeps a log of them, sends one again, and applies faults on the way. */
import type { Clock } from '../../../src/ports/clock.ts';
import type { ClientAnswer, ClientRequest, Delivery, HttpClient } from '../../../src/ports/http-client.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import { type HttpHarm, HttpRules } from '../../faults/rules.ts';
import type { ReceivedEffect } from '../received-effect.ts';
import { type DeliveryAttempt, type DeliveryDetail, DeliveryLog, type LoggedDelivery } from './delivery-log.ts';

export interface DeliveriesOptions {
  readonly clock: Clock;
  /** For faults. */
  readonly random: RandomStream;
  readonly transport: HttpClient;
  /** Called with each request of a script when it arrives; with none of a replay. */
  readonly onReceived?: ((effect: ReceivedEffect) => void) | undefined;
}

/** A request on its way. */
interface Parcel {
  readonly logged: LoggedDelivery;
  readonly request: ClientRequest;
  readonly by: DeliveryAttempt['by'];
  readonly sentMs: number;
}

/** How long a request waits for the next one before it arrives anyway, and the longest time between two copies. */
const [reorderMs, copyMs] = [3_000, 1_000];
const signatureField = 'webhook-signature';
const refused: ClientAnswer = { ok: false, problem: 'the connection failed: ECONNREFUSED', isDefinite: true };

export class Deliveries implements HttpClient {
  readonly rules = new HttpRules();
  readonly log = new DeliveryLog();
  readonly #options: DeliveriesOptions;
  /** Sends the requests that wait for the next one. */
  readonly #held = new Set<() => void>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  send(request: ClientRequest, delivery: Delivery): Promise<ClientAnswer> {
    return this.#attempt(this.log.of(delivery, request), 'script');
  }

  /** Sends a request again: under the same id, with a signature of this time. Throws a `not_found` fault. */
  async replay(id: string): Promise<DeliveryDetail> {
    const logged = this.log.get(id);
    const { request, delivery } = logged;
    const headers = { ...request.headers, ...delivery.signature(this.#options.clock.now()) };
    logged.request = { ...request, headers };
    await this.#attempt(logged, 'replay');
    return logged.detail();
  }

  async #attempt(logged: LoggedDelivery, by: DeliveryAttempt['by']): Promise<ClientAnswer> {
    const { clock } = this.#options;
    const { request } = logged;
    const sentMs = clock.now();
    const end = logged.begin(by, sentMs);
    const answer = await this.#onItsWay({ logged, request, by, sentMs }, this.rules.harmOf(request.url));
    end(answer, clock.now());
    return answer;
  }

  /** The answer of a request that faults affect. */
  #onItsWay(sent: Parcel, harm: HttpHarm): Promise<ClientAnswer> {
    const { clock, random } = this.#options;
    if (harm.isRefused === true) return Promise.resolve(refused);
    const parcel = { ...sent, request: harmedBy(harm, sent.request) };
    if (harm.isDuplicated === true)
      clock.setTimer((harm.afterMs ?? 0) + random.float() * copyMs, () => this.#copy(parcel));
    if (harm.isReordered === true && this.#held.size === 0) return this.#later(parcel, (send) => this.#hold(send));
    const { afterMs = 0 } = harm;
    if (afterMs > 0) return this.#later(parcel, (send) => void clock.setTimer(afterMs, send));
    const answer = this.#arrive(parcel);
    void answer.then(() => this.#release());
    return answer;
  }

  /** The answer of a request that arrives later, perhaps after its script has given it up. */
  #later(parcel: Parcel, delay: (send: () => void) => void): Promise<ClientAnswer> {
    const { clock } = this.#options;
    const { timeoutMs } = parcel.request;
    return new Promise((resolve) => {
      let isGivenUp = false;
      const patience = clock.setTimer(timeoutMs, () => {
        isGivenUp = true;
        resolve({ ok: false, problem: `no answer within ${timeoutMs / 1_000} s`, isDefinite: false });
      });
      delay(() => {
        if (isGivenUp) return this.#copy(parcel);
        void this.#arrive(parcel).then((answer) => {
          patience.cancel();
          resolve(answer);
        });
      });
    });
  }

  /** Sends a request of which the script learns nothing. */
  #copy(parcel: Parcel): void {
    const { clock } = this.#options;
    const end = parcel.logged.begin('fault', clock.now());
    void this.#arrive(parcel).then((answer) => end(answer, clock.now()));
  }

  #arrive({ logged: { delivery }, request, by, sentMs }: Parcel): Promise<ClientAnswer> {
    const { transport, onReceived } = this.#options;
    if (by !== 'replay') onReceived?.(receivedFrom(delivery, request, sentMs));
    return transport.send(request, delivery);
  }

  #hold(send: () => void): void {
    const once = () => {
      if (!this.#held.delete(once)) return;
      patience.cancel();
      send();
    };
    const patience = this.#options.clock.setTimer(reorderMs, once);
    this.#held.add(once);
  }

  #release(): void {
    for (const send of [...this.#held]) send();
  }
}

function receivedFrom(delivery: Delivery, request: ClientRequest, sentMs: number): ReceivedEffect {
  const { domain, run, component, isRepeatable } = delivery;
  const { method, url, headers, body, isHalf = false } = request;
  // The receiver knows no more of the key than the header says.
  const key = headers['idempotency-key'] ?? '';
  const content = JSON.stringify({ method, url, webhookid: headers['webhook-id'], body });
  return { receiver: 'http', key, domain, run, component, sentMs, isRepeatable, ...(!isHalf && { content }) };
}

function harmedBy({ isForged = false, isHalf = false }: HttpHarm, request: ClientRequest): ClientRequest {
  const { [signatureField]: signature, ...others } = request.headers;
  const headers =
    isForged && signature !== undefined ? { ...others, [signatureField]: forged(signature) } : request.headers;
  return { ...request, headers, ...(isHalf && { isHalf }) };
}

/** A signature of the right form that no secret makes. */
function forged(signature: string): string {
  const [version = '', text = ''] = signature.split(',');
  const bytes = Buffer.from(text, 'base64').map((byte) => byte ^ 0xff);
  return `${version},${Buffer.from(bytes).toString('base64')}`;
}
