/**
 * How far the streams of sources have been heard: for each source its incarnation (epoch) and the number of
 * its last item there. A later incarnation comes after all of an earlier one. As a text it is the cursor of a subscription.
 */

/** A source by its name (`b2b-214`), the epoch of its incarnation, the number of an item. */
export type StreamPosition = [source: string, epoch: number, n: number];

const placeForm = /^([a-z0-9]+-\d+)\.([0-9a-z]+)\.([0-9a-z]+)$/;
const textVersion = '1';

export class Position {
  readonly #places = new Map<string, StreamPosition>();

  constructor(places: Iterable<Readonly<StreamPosition>> = []) {
    for (const [source, epoch, n] of places) this.advance(source, epoch, n);
  }

  get places(): StreamPosition[] {
    return [...this.#places.values()].map(([source, epoch, n]) => [source, epoch, n]);
  }

  of(source: string): Readonly<StreamPosition> | undefined {
    return this.#places.get(source);
  }

  /** Whether the item is at this position or behind it. */
  isPast(source: string, epoch: number, n: number): boolean {
    const place = this.#places.get(source);
    return place !== undefined && !isBefore(place, epoch, n);
  }

  /** Moves on to an item; false when that is past. */
  advance(source: string, epoch: number, n: number): boolean {
    if (this.isPast(source, epoch, n)) return false;
    this.#places.set(source, [source, epoch, n]);
    return true;
  }

  merge(places: Iterable<Readonly<StreamPosition>>): void {
    for (const [source, epoch, n] of places) this.advance(source, epoch, n);
  }

  /** Whether nothing of `other` is ahead of this one. */
  reaches(other: Position): boolean {
    for (const place of other.#places.values()) if (!this.isPast(...place)) return false;
    return true;
  }
}

/** Whether `place` comes before an item of the same source. */
export function isBefore([, epoch, n]: Readonly<StreamPosition>, itemEpoch: number, itemN: number): boolean {
  return epoch < itemEpoch || (epoch === itemEpoch && n < itemN);
}

/** A position as a text of letters, digits and `.-~`, which a URL takes as it is. Opaque to clients. (chosen) */
export function cursorOf(places: Iterable<Readonly<StreamPosition>>): string {
  const parts = [textVersion];
  for (const [source, epoch, n] of places) parts.push(`${source}.${epoch.toString(36)}.${n.toString(36)}`);
  return parts.join('~');
}

/** The position in a cursor, or nothing where the text is none. */
export function readCursor(text: string): StreamPosition[] | undefined {
  const [version, ...parts] = text.split('~');
  if (version !== textVersion) return undefined;
  const places = parts.map((part): StreamPosition | undefined => {
    const [, source = '', epoch = '', n = ''] = placeForm.exec(part) ?? [];
    const place: StreamPosition = [source, Number.parseInt(epoch, 36), Number.parseInt(n, 36)];
    return Number.isSafeInteger(place[1]) && Number.isSafeInteger(place[2]) ? place : undefined;
  });
  return places.every((place) => place !== undefined) ? places : undefined;
}
