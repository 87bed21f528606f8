/**
 * How far the streams of sources have been heard: for each source its incarnation (epoch) and the number of
 * its last item there. A later incarnation comes after all of an earlier one. As a text it is the cursor of a subscription.
 */

/** A source by its name (`b2b-214`), the epoch of its incarnation, the number of an item. */
export type StreamPosition = [source: string, epoch: number, n: number];

/** What a subscription has received. */
export interface Cursor {
  readonly positions: readonly StreamPosition[];
  /** When the subscription began (ms since the epoch): of a source without a position nothing older counts. Absent: not known. */
  readonly sinceMs?: number | undefined;
}

const timeForm = /^[0-9a-z]+$/;
const positionForm = /^([a-z0-9]+-\d+)\.([0-9a-z]+)\.([0-9a-z]+)$/;
const textVersion = '1';

export class Position {
  readonly #positions = new Map<string, StreamPosition>();

  constructor(positions: Iterable<Readonly<StreamPosition>> = []) {
    for (const [source, epoch, n] of positions) this.advance(source, epoch, n);
  }

  get positions(): StreamPosition[] {
    return [...this.#positions.values()].map(([source, epoch, n]) => [source, epoch, n]);
  }

  of(source: string): Readonly<StreamPosition> | undefined {
    return this.#positions.get(source);
  }

  /** Whether the item is at this position or behind it. */
  isPast(source: string, epoch: number, n: number): boolean {
    const position = this.#positions.get(source);
    return position !== undefined && !isBefore(position, epoch, n);
  }

  /** Moves on to an item; false when that is past. */
  advance(source: string, epoch: number, n: number): boolean {
    if (this.isPast(source, epoch, n)) return false;
    this.#positions.set(source, [source, epoch, n]);
    return true;
  }

  merge(positions: Iterable<Readonly<StreamPosition>>): void {
    for (const [source, epoch, n] of positions) this.advance(source, epoch, n);
  }

  /** Whether nothing of `other` is ahead of this one. */
  reaches(other: Position): boolean {
    for (const position of other.#positions.values()) if (!this.isPast(...position)) return false;
    return true;
  }
}

/** Whether `position` comes before an item of the same source. */
export function isBefore([, epoch, n]: Readonly<StreamPosition>, itemEpoch: number, itemN: number): boolean {
  return epoch < itemEpoch || (epoch === itemEpoch && n < itemN);
}

/** A cursor as a text of letters, digits and `.-~`, which a URL takes as it is. Opaque to clients. (chosen) */
export function cursorOf({ positions, sinceMs }: Cursor): string {
  const parts = [textVersion, ...(sinceMs === undefined ? [] : [Math.floor(sinceMs).toString(36)])];
  for (const [source, epoch, n] of positions) parts.push(`${source}.${epoch.toString(36)}.${n.toString(36)}`);
  return parts.join('~');
}

/** The cursor in a text, or nothing where the text is none. */
export function readCursor(text: string): Cursor | undefined {
  const [version, ...parts] = text.split('~');
  if (version !== textVersion) return undefined;
  const sinceMs = timeForm.test(parts[0] ?? '') ? Number.parseInt(parts.shift() ?? '', 36) : undefined;
  const positions = parts.map((part): StreamPosition | undefined => {
    const [, source = '', epoch = '', n = ''] = positionForm.exec(part) ?? [];
    const position: StreamPosition = [source, Number.parseInt(epoch, 36), Number.parseInt(n, 36)];
    return Number.isSafeInteger(position[1]) && Number.isSafeInteger(position[2]) ? position : undefined;
  });
  if (!Number.isSafeInteger(sinceMs ?? 0) || !positions.every((position) => position !== undefined)) return undefined;
  return sinceMs === undefined ? { positions } : { positions, sinceMs };
}
