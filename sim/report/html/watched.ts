/**
 * Which of the messages that nodes send all the time a page shows nevertheless: those that a fault has named, from when it was
 * inflicted on.
 */
import { fits } from '../../faults/messages.ts';

export class Watched {
  readonly #patterns: string[] = [];
  #isNamed: (type: string) => boolean = () => false;

  /** A fault is inflicted. */
  see(args: readonly unknown[]): void {
    const named = args.flatMap(messagesIn);
    if (named.length === 0) return;
    this.#patterns.push(...named);
    this.#isNamed = fits(this.#patterns);
  }

  /** What there is to say of them beside how many others are left out. */
  get note(): string {
    return this.has('peer.ping') || this.has('peer.pong') || this.has('peer.digest')
      ? '; those that a fault names are shown from when it was inflicted, as far as they have arrived'
      : '';
  }

  has(type: string): boolean {
    return this.#isNamed(type);
  }
}

function messagesIn(arg: unknown): string[] {
  if (typeof arg !== 'object' || arg === null || !('messages' in arg) || !Array.isArray(arg.messages)) return [];
  return arg.messages.map(String);
}
