/** The subscriptions of an oracle. */
import type { Listener, ObservationFilter, ObservationKind } from './observation.ts';
import type { Oracle } from './oracle.ts';
import type { PublishedItems, PublishedKind, PublishedListener } from './published.ts';

export interface Sources {
  observe(listener: Listener, filter: ObservationFilter): () => void;
  readonly published: PublishedItems;
}

type Heard = (observation: never) => void;

/** Subscribes the listeners of an oracle, each wrapped by `guarded`. Returns the functions that unsubscribe them. */
export function subscribe(
  { listeners = {} }: Oracle,
  { observe, published }: Sources,
  guarded: (listener: Heard) => Heard,
): (() => void)[] {
  const add = (kind: string, listener: Heard, type?: string): (() => void)[] => {
    if (!kind.startsWith('published.')) {
      const filter = { kinds: [kind as ObservationKind], ...(type !== undefined && { types: [type] }) };
      return [observe(guarded(listener) as Listener, filter)];
    }
    published.add(kind as PublishedKind, guarded(listener) as PublishedListener, type);
    return [];
  };
  return Object.entries(listeners).flatMap(([kind, heard]) =>
    typeof heard === 'function'
      ? add(kind, heard)
      : Object.entries(heard).flatMap(([type, listener]) => add(kind, listener, type)),
  );
}
