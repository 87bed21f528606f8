/**
 * What an HTTP server has sent and its clients have not taken: bounded for each address and for all, and each client has to
 * go on taking it. A client that takes nothing within `writeTimeMs`, and the time that what waits needs at
 * `writeBytesPerSecond`, is cut off.
 */
import type { Socket } from 'node:net';
import type { DoorLimits } from '../model/door-limits.ts';
import type { Clock, Timer } from '../ports/clock.ts';

/** Of a connection, what the backlog looks at. */
export type Sender = Pick<Socket, 'destroyed' | 'writableLength' | 'bytesWritten' | 'destroy' | 'once'>;

interface Watched {
  readonly address: string;
  /** Bytes that were taken when it was seen last, and until when it has to take more; nothing where none wait. */
  stall?: { readonly takenBytes: number; readonly untilMs: number } | undefined;
}

const sweepMs = 1_000;
/** An address without room stays so for as long, lest all connections are counted for each of its requests. */
const fullMs = 50;

export class Backlog {
  readonly #limits: DoorLimits;
  readonly #clock: Clock;
  readonly #watched = new Map<Sender, Watched>();
  /** Bytes that wait, of all and by address: what was counted, and what was added since. Never less than the truth. */
  #bytes = 0;
  #byAddress = new Map<string, number>();
  /** When an address was seen without room. */
  readonly #fullMs = new Map<string, number>();
  #sweeping: Timer | undefined;

  constructor(limits: DoorLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Watches a connection from now on, until it closes. */
  watch(sender: Sender, address: string): void {
    if (sender.destroyed || this.#watched.has(sender)) return;
    this.#watched.set(sender, { address });
    sender.once('close', () => this.#forget(sender));
    this.#sweeping ??= this.#sweepLater();
  }

  /** Counts bytes that are about to be sent. */
  add(address: string, bytes: number): void {
    this.#bytes += bytes;
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + bytes);
  }

  /** Bytes that may be added for an address. Not above 0: it has no room. */
  roomFor(address: string): number {
    const room = this.#estimate(address);
    const nowMs = this.#clock.now();
    if (room > 0 || nowMs - (this.#fullMs.get(address) ?? -Infinity) < fullMs) return room;
    this.#count();
    const counted = this.#estimate(address);
    if (counted <= 0) this.#fullMs.set(address, nowMs);
    return counted;
  }

  #estimate(address: string): number {
    const { unreadBytes, unreadBytesPerAddress } = this.#limits;
    return Math.min(unreadBytes - this.#bytes, unreadBytesPerAddress - (this.#byAddress.get(address) ?? 0));
  }

  #count(): void {
    this.#bytes = 0;
    this.#fullMs.clear();
    this.#byAddress = new Map();
    for (const [{ writableLength }, { address }] of this.#watched)
      if (writableLength > 0) this.add(address, writableLength);
  }

  #forget(sender: Sender): void {
    this.#watched.delete(sender);
    if (this.#watched.size > 0) return;
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
  }

  #sweepLater(): Timer {
    return this.#clock.setTimer(sweepMs, () => {
      this.#sweeping = this.#sweepLater();
      this.#count();
      for (const [sender, watched] of this.#watched) this.#look(sender, watched);
    });
  }

  #look(sender: Sender, watched: Watched): void {
    const { writableLength } = sender;
    const nowMs = this.#clock.now();
    const takenBytes = sender.bytesWritten - writableLength;
    if (writableLength === 0) watched.stall = undefined;
    else if (watched.stall?.takenBytes !== takenBytes) {
      const { writeTimeMs, writeBytesPerSecond } = this.#limits;
      watched.stall = { takenBytes, untilMs: nowMs + writeTimeMs + (writableLength * 1_000) / writeBytesPerSecond };
    } else if (nowMs >= watched.stall.untilMs) sender.destroy();
  }
}
