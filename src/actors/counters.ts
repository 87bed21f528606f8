/**
 * Counters of rare events that must be visible (dead letters, unexpected events, refused asks), and gauges of current amounts.
 * A node has one set; each of its instances has its own, which also adds to that of the node.
 */
import type { CensusOptions, Probe } from '../ports/instrumentation/probe.ts';

export interface CountersOptions {
  /** Address of the node or instance that is counted. */
  readonly address?: string;
  /** Parent counters, to which every count is added too. */
  readonly sum?: Counters;
  /** Observer that is notified of every count. */
  readonly probe?: Probe | undefined;
}

export class Counters {
  /** Observer of these counters, if there is one. */
  readonly probe: Probe | undefined;
  readonly #address: string;
  readonly #sum: Counters | undefined;
  readonly #counts = new Map<string, number>();
  readonly #gauges: { readonly name: string; readonly read: () => number }[] = [];
  readonly #details: (() => ReadonlyMap<string, number>)[] = [];
  readonly #monitored: (() => ReadonlyMap<string, number>)[] = [];

  constructor({ address = '', sum, probe }: CountersOptions = {}) {
    this.#address = address;
    this.#sum = sum;
    this.probe = probe;
  }

  /** Counters of a part with its own address; counts are added here too. */
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

  /** All counts by name, in the order of their first count. */
  all(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Adds a gauge. Gauges with the same name are summed. */
  gauge(name: string, read: () => number): void {
    this.#gauges.push({ name, read });
  }

  /** Adds gauges that are expensive to read: they are read only when details are requested. */
  detail(read: () => ReadonlyMap<string, number>): void {
    this.#details.push(read);
  }

  /** Adds amounts that only monitoring reads, such as the ages of copies. */
  monitor(read: () => ReadonlyMap<string, number>): void {
    this.#monitored.push(read);
  }

  /** Reads all gauges. */
  gauges({ withDetails = false, isMonitoring = false }: CensusOptions = {}): Map<string, number> {
    const values = new Map<string, number>();
    const add = (name: string, value: number) => values.set(name, (values.get(name) ?? 0) + value);
    for (const { name, read } of this.#gauges) add(name, read());
    const more = [...(withDetails ? this.#details : []), ...(isMonitoring ? this.#monitored : [])];
    for (const read of more) for (const [name, value] of read()) add(name, value);
    return values;
  }

  #add(name: string): void {
    this.#counts.set(name, this.get(name) + 1);
    if (this.#sum !== undefined) this.#sum.#add(name);
  }
}
