/** Where scripts send short messages. Simulated: it keeps the last messages for the control interface. */
export interface SmsGateway {
  /** Accepts a message. One with a known key is the same message: it is sent once. */
  send(message: ShortMessage): void;
}

export interface ShortMessage {
  /** Idempotency key. */
  readonly key: string;
  readonly domain: string;
  /** The run that sends it, and the name of its component. */
  readonly run: string;
  readonly component: string;
  readonly to: string;
  readonly text: string;
}
