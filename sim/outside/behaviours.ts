/** How numbers behave that somebody said something about: by the topology, and by who controls the world outside. */
import type { Behaviour, TopologyDomain } from '../../src/model/topology/schema.ts';
import { type Reaction, reactionOf } from './behaviour.ts';

export class Behaviours {
  readonly #fromTopology: ReadonlyMap<string, Behaviour>;
  readonly #told = new Map<string, Behaviour>();

  constructor(domains: readonly Pick<TopologyDomain, 'name' | 'numbers'>[]) {
    this.#fromTopology = new Map(
      domains.flatMap(({ name, numbers }) =>
        Object.entries(numbers).map(([number, behaviour]) => [keyOf(name, number), behaviour] as const),
      ),
    );
  }

  /** Says how a number behaves from now on; without a behaviour it does as before. */
  set(domain: string, number: string, behaviour: Behaviour | undefined): void {
    if (behaviour === undefined) this.#told.delete(keyOf(domain, number));
    else this.#told.set(keyOf(domain, number), behaviour);
  }

  /** What becomes of a call to a number. Where it redirects to a number, that is at `host`. */
  reactionTo(domain: string, number: string, host: string): Reaction {
    const key = keyOf(domain, number);
    const reaction = reactionOf(number, this.#told.get(key) ?? this.#fromTopology.get(key));
    const { redirect } = reaction;
    if (redirect === undefined || redirect.startsWith('sip:')) return reaction;
    return { ...reaction, redirect: `sip:${redirect}${redirect.includes('@') ? '' : `@${host}`}` };
  }
}

function keyOf(domain: string, number: string): string {
  return `${domain}/${number}`;
}
