/** The simulated gateway for short messages. */
import type { Clock } from '../../src/ports/clock.ts';
import type { ShortMessage, SmsGateway } from '../../src/ports/sms-gateway.ts';
import type { ReceivedEffect } from './received-effect.ts';

/** A message, when it was sent (ms since the epoch), and how often it was handed over under its key. */
export interface SentMessage extends ShortMessage {
  readonly sentMs: number;
  readonly attempts: number;
}

const keptMessages = 1_000;

export class SimulatedSms implements SmsGateway {
  readonly #clock: Clock;
  readonly #onReceived: ((effect: ReceivedEffect) => void) | undefined;
  readonly #messages = new Map<string, SentMessage>();

  constructor(clock: Clock, onReceived?: (effect: ReceivedEffect) => void) {
    this.#clock = clock;
    this.#onReceived = onReceived;
  }

  /** The last messages, the oldest first. */
  get messages(): readonly SentMessage[] {
    return [...this.#messages.values()];
  }

  send(message: ShortMessage): void {
    const { key, domain, run, component, to, text } = message;
    const content = JSON.stringify({ domain, to, text });
    this.#onReceived?.({ receiver: 'sms', key, domain, run, component, sentMs: this.#clock.now(), content });
    const known = this.#messages.get(message.key);
    if (known !== undefined) {
      this.#messages.set(message.key, { ...known, attempts: known.attempts + 1 });
      return;
    }
    this.#messages.set(message.key, { ...message, sentMs: this.#clock.now(), attempts: 1 });
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > keptMessages && oldest !== undefined) this.#messages.delete(oldest);
  }
}
