/**
 * What sources publish, read once for all oracles: each consumer of a stream is sent the same items, and most oracles
 * look at a part of them.
 */
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { BodyOf } from '../../src/model/protocol/catalogue.ts';
import type { DialogRecord } from '../../src/model/protocol/messages/dialog.ts';
import type { PlatformEvent, StreamItem } from '../../src/model/protocol/messages/stream.ts';

/** What one message publishes, and then the parts of its items, in this order. `from`: the address of the source. */
export interface PublishedKinds {
  'published.items': { readonly from: string; readonly epoch: number; readonly items: readonly StreamItem[] };
  'published.dialog': { readonly from: string; readonly dialog: DialogRecord };
  /** Its type is the class of the event. */
  'published.event': { readonly from: string; readonly event: PlatformEvent };
  /** The end of a live call. */
  'published.gone': { readonly from: string; readonly gone: string };
}

export type PublishedKind = keyof PublishedKinds;

export type PublishedOf<K extends PublishedKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly atMs: number } & PublishedKinds[Kind];
}[K];

export type PublishedListener = (published: PublishedOf<PublishedKind>) => void;

export class PublishedItems {
  readonly #listeners = {
    'published.items': [] as PublishedListener[],
    'published.dialog': [] as PublishedListener[],
    'published.event': [] as PublishedListener[],
    'published.gone': [] as PublishedListener[],
  };
  /** Of events, by their class. */
  readonly #byClass = new Map<string, PublishedListener[]>();
  #last: readonly StreamItem[] | undefined;

  /** Subscribes `listener`; `type`: to events of this class only. */
  add(kind: PublishedKind, listener: PublishedListener, type?: string): void {
    if (type === undefined) this.#listeners[kind].push(listener);
    else this.#byClass.set(type, [...(this.#byClass.get(type) ?? []), listener]);
  }

  /** Takes an envelope of type `stream.published` when it is sent. */
  take({ from, body }: Envelope, atMs: number): void {
    const { epoch, items } = body as BodyOf<'stream.published'>;
    if (items === this.#last) return;
    this.#last = items;
    const listeners = this.#listeners;
    hand(listeners['published.items'], { kind: 'published.items', atMs, from, epoch, items });
    for (const { dialog, event, gone } of items) {
      if (dialog !== undefined) hand(listeners['published.dialog'], { kind: 'published.dialog', atMs, from, dialog });
      if (event !== undefined) {
        const published = { kind: 'published.event', atMs, from, event } as const;
        hand(listeners['published.event'], published);
        hand(this.#byClass.get(event.class) ?? [], published);
      }
      if (gone !== undefined) hand(listeners['published.gone'], { kind: 'published.gone', atMs, from, gone });
    }
  }
}

function hand(listeners: readonly PublishedListener[], published: PublishedOf<PublishedKind>): void {
  for (const listener of listeners) listener(published);
}
