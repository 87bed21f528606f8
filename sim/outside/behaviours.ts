/** How numbers behave that somebody said something about: by the topology, and by who controls the world outside. */
import type { Behaviour, TopologyDomain } from '../../src/model/topology/schema.ts';
import { type Reaction, reactionOf } from './behaviour.ts';

/** How a number behaves since it was set here, in place of what the topology or its digits say. */
export interface NumberOverride {
  readonly domain: string;
  readonly number: string;
  readonly behaviour: Behaviour;
}

export class Behaviours {
  readonly #fromTopology: ReadonlyMap<string, Behaviour>;
  readonly #overrides = new Map<string, NumberOverride>();

  constructor(domains: readonly Pick<TopologyDomain, 'name' | 'numbers'>[]) {
    this.#fromTopology = new Map(
      domains.flatMap(({ name, numbers }) =>
        Object.entries(numbers).map(([number, behaviour]) => [keyOf(name, number), behaviour] as const),
      ),
    );
  }

  /** Numbers that were set, the earliest first. */
  get overrides(): readonly NumberOverride[] {
    return [...this.#overrides.values()];
  }

  /** Says how a number behaves from now on; without a behaviour it does as before. */
  set(domain: string, number: string, behaviour: Behaviour | undefined): void {
    if (behaviour === undefined) this.#overrides.delete(keyOf(domain, number));
    else this.#overrides.set(keyOf(domain, number), { domain, number, behaviour });
  }

  /** What becomes of a call to a number. Where it redirects to a number, that is at `host`. */
  reactionTo(domain: string, number: string, host: string): Reaction {
    const key = keyOf(domain, number);
    const reaction = reactionOf(number, this.#overrides.get(key)?.behaviour ?? this.#fromTopology.get(key));
    const { redirect } = reaction;
    if (redirect === undefined || redirect.startsWith('sip:')) return reaction;
    return { ...reaction, redirect: `sip:${redirect}${redirect.includes('@') ? '' : `@${host}`}` };
  }
}

function keyOf(domain: string, number: string): string {
  return `${domain}/${number}`;
}
