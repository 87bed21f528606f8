/** The last events of a site, in an order that keeps each source's own, for those who follow them or come back to them. */
import { limits } from '../../model/limits.ts';
import { isBefore, type Place, Position } from '../../model/position.ts';
import type { EventsReply, ToldEvent } from '../../model/protocol/stream.ts';
import { fitting, Ring } from '../stream/ring.ts';

export class EventLog {
  readonly #events: Ring<ToldEvent>;
  readonly #heard = new Position();
  /** What comes up to here is not in the log (any more). */
  readonly #floor = new Map<string, Readonly<Place>>();
  readonly #onEvent: (event: ToldEvent) => void;
  readonly #limit: number;
  /** Ids of events that several may make of one fact, the oldest first: at most as many as events are kept. */
  readonly #once = new Set<string>();

  constructor(onEvent: (event: ToldEvent) => void, limit: number = limits.events) {
    this.#onEvent = onEvent;
    this.#limit = limit;
    this.#events = new Ring(limit);
  }

  /** Notes that an item was heard, which may be an event. */
  hear([source, epoch, n]: Readonly<Place>, event?: ToldEvent): void {
    if (!this.#floor.has(source)) this.#floor.set(source, [source, epoch, n - 1]);
    const isNew = this.#heard.advance(source, epoch, n);
    // What another member has given may be told again by its source.
    if (event === undefined || !isNew) return;
    this.#add(event);
    this.#onEvent(event);
  }

  /** The same, of a fact that others too may tell as an event of the same id: only the first counts. */
  hearOnce(place: Place, event: ToldEvent): void {
    const id = String(event.event.data['eventid']);
    const isFirst = !this.#once.has(id);
    this.#note(id);
    this.hear(place, isFirst ? event : undefined);
  }

  /** Notes that a source's items before `n` are lost. */
  lose([source, epoch, n]: Readonly<Place>): void {
    this.#raise([source, epoch, n - 1]);
    this.#heard.advance(source, epoch, n - 1);
  }

  /** A page of what came after a position, and is not older than `sinceMs`. */
  read(after: readonly Readonly<Place>[], sinceMs = 0): EventsReply {
    const from = new Position(after);
    const floor = [...this.#floor.values()].map(([source, epoch, n]): Place => [source, epoch, n]);
    const isMissing = ([source, epoch, n]: Place) => isBefore(from.of(source) ?? [source, epoch, 0], epoch, n);
    const gap = sinceMs === 0 && floor.some(isMissing);
    const isLater = ({ source, epoch, n, atMs }: ToldEvent) => atMs >= sinceMs && !from.isPast(source, epoch, n);
    const later = [...this.#events.from(0)].filter(isLater);
    const items = fitting(later, { count: limits.streamPage, bytes: limits.streamBytes });
    return { items, position: this.#heard.places, more: items.length < later.length, gap, floor };
  }

  /** Takes over what another member of the group has kept and this one has not heard. */
  adopt(events: readonly ToldEvent[], floor: readonly Readonly<Place>[]): void {
    const isOlder = ({ source, epoch, n }: ToldEvent) => {
      const place = this.#floor.get(source);
      return place === undefined || !isBefore(place, epoch, n);
    };
    const older = events.filter(isOlder);
    for (const place of floor) {
      const own = this.#floor.get(place[0]);
      if (own === undefined || isBefore(place, own[1], own[2])) this.#floor.set(place[0], place);
    }
    // Another member may have sent the same fact first, from a place of its own.
    const isRepeated = ({ event }: ToldEvent) =>
      event.name === 'dlg_dead' && this.#once.has(String(event.data['eventid']));
    const kept = older.filter((event) => !isRepeated(event));
    for (const { source, epoch, n } of older) this.#heard.advance(source, epoch, n);
    for (const { event } of kept) if (event.name === 'dlg_dead') this.#note(String(event.data['eventid']));
    for (const { source, epoch, n } of this.#events.prepend(kept)) this.#raise([source, epoch, n]);
  }

  #raise(place: Readonly<Place>): void {
    const [source, epoch, n] = place;
    const floor = this.#floor.get(source);
    if (floor === undefined || isBefore(floor, epoch, n)) this.#floor.set(source, place);
  }

  #note(id: string): void {
    this.#once.add(id);
    const [oldest] = this.#once;
    if (oldest !== undefined && this.#once.size > this.#limit) this.#once.delete(oldest);
  }

  #add(event: ToldEvent): void {
    const oldest = this.#events.push(event);
    if (oldest === undefined) return;
    this.#raise([oldest.source, oldest.epoch, oldest.n]);
    this.#once.delete(String(oldest.event.data['eventid']));
  }
}
