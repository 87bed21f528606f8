/** Runs of scripts in a store that the instances of a group share: the active instance alone has it open. */

import type { RoleScope } from '../cluster/role.ts';
import type { Stores } from '../ports/store.ts';
import { PatientStore } from '../storage/patient-store.ts';
import type { RunRecord } from './run-record.ts';

const prefix = 'run/';
const afterPrefix = 'run0';
const globalPrefix = 'global/';
const afterGlobalPrefix = 'global0';

export class RunStore {
  readonly #store: PatientStore;

  constructor({ clock }: Pick<RoleScope, 'clock'>, stores: Stores, name: string) {
    this.#store = new PatientStore(stores, name, clock);
  }

  /** The runs that are stored, in the order in which they started; `undefined` where the store was closed, also meanwhile. */
  async load(): Promise<RunRecord[] | undefined> {
    const stored = await this.#store.read({ from: prefix, to: afterPrefix });
    const records = stored?.map(([, value]) => JSON.parse(value) as RunRecord);
    return records?.sort((one, other) => one.startedMs - other.startedMs || (one.id < other.id ? -1 : 1));
  }

  /** The global variables that are stored, by domain; `undefined` where the store was closed, also meanwhile. */
  async globals(): Promise<[domain: string, values: Record<string, unknown>][] | undefined> {
    const stored = await this.#store.read({ from: globalPrefix, to: afterGlobalPrefix });
    return stored?.map(([key, value]) => [
      key.slice(globalPrefix.length),
      JSON.parse(value) as Record<string, unknown>,
    ]);
  }

  /**
   * Stores a run as it is now, as JSON, together with the global variables of domains that have changed. While the disk cannot be
   * written it tries again. Returns false where the store was closed.
   */
  put(id: string, value: string, globals: readonly [domain: string, values: object][] = []): Promise<boolean> {
    return this.#store.write([
      { put: `${prefix}${id}`, value },
      ...globals.map(([domain, values]) => ({ put: `${globalPrefix}${domain}`, value: JSON.stringify(values) })),
    ]);
  }

  /** Removes a run, as soon as the disk can be written. */
  async remove(id: string): Promise<void> {
    await this.#store.write([{ delete: `${prefix}${id}` }]);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
