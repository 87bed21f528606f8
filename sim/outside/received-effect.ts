/** An effect of a script, as another system has received it. */
export interface ReceivedEffect {
  readonly receiver: 'http' | 'sms';
  /** Its idempotency key, as the receiver has it. */
  readonly key: string;
  readonly domain: string;
  /** The run that has sent it, and the name of the component. */
  readonly run: string;
  readonly component: string;
  /** When its instance handed it over (ms since the epoch): a fault on the way may deliver it later, or once more. */
  readonly sentMs: number;
  /** What has arrived, as a text; absent: only a part of it. */
  readonly content?: string;
  /** Whether it may be performed again when a failover leaves its outcome open; absent: not known. */
  readonly isRepeatable?: boolean;
}
