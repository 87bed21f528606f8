/** The contact groups that clients have made, as long as no client changes them. */
import type { ObservationListeners } from '../../oracle.ts';
import { jsonIn } from './reading.ts';
import { setLast } from './shared.ts';

const groups = /\/domain\/contactgroups(?:\/([^/?]+))?$/;
const prefix = 'group#';
const mostKept = 1_000;

interface Group {
  readonly id: string;
  readonly members: readonly string[];
}

export class KnownGroups {
  /** For the owner's subscriptions. */
  readonly listeners: ObservationListeners;
  /** By code; `undefined`: several domains have one. */
  readonly #byCode = new Map<string, Group | undefined>();
  readonly #asked = new Set<number>();

  constructor() {
    this.listeners = {
      'request.received': ({ id, method, target }) => {
        const [path, group] = groups.exec(target) ?? [];
        if (path === undefined || method === 'GET' || method === 'LOOKUP') return;
        if (method === 'POST') this.#asked.add(id);
        else this.#forget(group);
      },
      'request.answered': ({ id, status, body }) => {
        if (!this.#asked.delete(id) || status !== 200) return;
        const made = jsonIn(body) as (Group & { readonly code: string }) | undefined;
        if (made === undefined) return;
        const members = [...new Set(made.members)];
        setLast(this.#byCode, made.code, this.#byCode.has(made.code) ? undefined : { id: made.id, members }, mostKept);
      },
    };
  }

  /** The numbers that a meeting calls for a participant: its own one, or those of its group. `undefined`: not known. */
  numbersOf(number: unknown): readonly string[] | undefined {
    const text = String(number);
    if (/^\d+$/.test(text)) return [text];
    return text.startsWith(prefix) ? this.#byCode.get(text.slice(prefix.length))?.members : undefined;
  }

  #forget(id: string | undefined): void {
    for (const [code, group] of this.#byCode)
      if (id === undefined || group?.id === id) this.#byCode.set(code, undefined);
  }
}
