/**
 * What the listeners of a stream may lack of its sources: messages that did not come, and what they ask for because of that. It
 * knows only of what was lost on its way; who has all and forgets it is not excused.
 */
import { nodeOf } from '../../../src/model/address.ts';
import type { Envelope } from '../../../src/model/envelope.ts';
import type { ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type { Bounds } from '../bounds.ts';
import type { Hears } from '../oracle.ts';

/** Messages by which a listener learns what a source has. */
export const heardTypes = ['stream.told', 'stream.read', 'dialog.list'] as const;

interface OnItsWay {
  readonly from: string;
  readonly to: string;
  readonly sentMs: number;
}

export class Heard {
  readonly #bounds: Bounds;
  readonly #onTheirWay = new Map<string, OnItsWay>();
  /** By the two ends: until when one may lack something that the other has. */
  readonly #untilMs = new Map<string, number>();
  /** The same of all, when it is not known between whom something was lost. */
  #allUntilMs = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** To be heard by whose it is, of envelopes those of `heardTypes`. */
  readonly hears = {
    'envelope.sent': ({ envelope: { id, from, to }, atMs }) =>
      void this.#onTheirWay.set(id, { from, to, sentMs: atMs }),
    'envelope.delivered': ({ envelope, atMs }) => {
      this.#onTheirWay.delete(envelope.id);
      // Who needed that lacked it until now.
      if (brings(envelope)) this.#lacks(envelope, atMs + this.#bounds.quickMs);
    },
    // What was on its way to or from somebody who is gone is not missed: a new life asks for all.
    'node.ended': ({ node }) => this.#forget((address) => nodeOf(address) === node),
    'instance.status': ({ instance, status }) => {
      if (status === 'stopped') this.#forget((address) => address === instance);
    },
  } satisfies Hears;

  /** Looks for what should have come by now. */
  tick(nowMs: number): void {
    for (const [id, way] of this.#onTheirWay) {
      if (way.sentMs + this.#bounds.quickMs >= nowMs) continue;
      this.#onTheirWay.delete(id);
      this.#lacks(way, nowMs + this.#bounds.toldMs);
    }
  }

  /** Something was lost, nobody knows between whom. */
  lost(nowMs: number): void {
    this.#allUntilMs = nowMs + this.#bounds.toldMs;
  }

  /** Whether a listener may lack something that a source has told. */
  mayLack(listener: string, source: string, nowMs: number): boolean {
    return Math.max(this.#allUntilMs, this.#untilMs.get(pairOf(listener, source)) ?? 0) >= nowMs;
  }

  #lacks({ from, to }: { from: string; to: string }, untilMs: number): void {
    const pair = pairOf(from, to);
    this.#untilMs.set(pair, Math.max(this.#untilMs.get(pair) ?? 0, untilMs));
  }

  #forget(isGone: (address: string) => boolean): void {
    for (const [id, { from, to }] of this.#onTheirWay) if (isGone(from) || isGone(to)) this.#onTheirWay.delete(id);
  }
}

/** Whether it is an answer with what a listener did not have. */
function brings({ kind, type, body }: Envelope): boolean {
  if (kind !== 'reply') return false;
  return type === 'dialog.list' || (type === 'stream.read' && (body as ReplyOf<'stream.read'>).items.length > 0);
}

function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}
