/**
 * Counters of things that should be rare and must not be lost: dead letters, unexpected events, refused asks; and gauges, which
 * say how many there are of something now. A node has them, and each of its instances its own, which count there too.
 */
import type { Probe } from '../ports/probe.ts';

export interface CountersOptions {
  /** The address of whose they are. */
  readonly address?: string;
  /** Where everything is counted once more. */
  readonly sum?: Counters;
  /** Who looks on at all that is counted here. */
  readonly probe?: Probe | undefined;
}

export class Counters {
  /** Who looks on at whose these are, if somebody does. */
  readonly probe: Probe | undefined;
  readonly #address: string;
  readonly #sum: Counters | undefined;
  readonly #counts = new Map<string, number>();
  readonly #gauges: { readonly name: string; readonly read: () => number }[] = [];
  readonly #details: (() => ReadonlyMap<string, number>)[] = [];

  constructor({ address = '', sum, probe }: CountersOptions = {}) {
    this.#address = address;
    this.#sum = sum;
    this.probe = probe;
  }

  /** Counters of a part, an address, that count here too. */
  of(address: string): Counters {
    return new Counters({ address, sum: this, probe: this.probe });
  }

  get address(): string {
    return this.#address;
  }

  add(name: string): void {
    this.#add(name);
    this.probe?.counted(this.#address, name);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** All counts by name, in the order in which they were first met. */
  all(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Adds a gauge. Those of one name are added up. */
  gauge(name: string, read: () => number): void {
    this.#gauges.push({ name, read });
  }

  /** Adds gauges that cost a look at much: they are read only where somebody wants details. */
  detail(read: () => ReadonlyMap<string, number>): void {
    this.#details.push(read);
  }

  /** What the gauges say now. */
  gauges({ withDetails = false } = {}): Map<string, number> {
    const values = new Map<string, number>();
    const add = (name: string, value: number) => values.set(name, (values.get(name) ?? 0) + value);
    for (const { name, read } of this.#gauges) add(name, read());
    for (const read of withDetails ? this.#details : []) for (const [name, value] of read()) add(name, value);
    return values;
  }

  #add(name: string): void {
    this.#counts.set(name, this.get(name) + 1);
    if (this.#sum !== undefined) this.#sum.#add(name);
  }
}
