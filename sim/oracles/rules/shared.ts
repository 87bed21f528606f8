import { nodeOf } from '../../../src/model/address.ts';
import type { ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type { Observation } from '../observation.ts';
import type { Hears } from '../oracle.ts';

/** Several hearers as one: each hears what it wants. */

type Hear = (observation: Observation) => void;

export function together(...all: readonly Hears[]): Hears {
  const hearers = new Map<string, Hear[]>();
  for (const hears of all) {
    for (const [kind, hear] of Object.entries(hears)) {
      hearers.set(kind, [...(hearers.get(kind) ?? []), hear as Hear]);
    }
  }
  const hearAll = (some: readonly Hear[]): Hear => {
    return (observation) => {
      for (const hear of some) hear(observation);
    };
  };
  return Object.fromEntries([...hearers].map(([kind, some]) => [kind, hearAll(some)]));
}

/** Whether what is shown of an item, perhaps a part of it only, is what the item is. */

type Values = Readonly<Record<string, unknown>>;

/** The first field that both have, and have otherwise. */
export function differingField(part: Values, whole: Values): string | undefined {
  return Object.keys(part).find((name) => {
    const [short, long] = [part[name], whole[name]];
    if (long === undefined || JSON.stringify(short) === JSON.stringify(long)) return false;
    return !isValues(short) || !isValues(long) || differingField(short, long) !== undefined;
  });
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The words of arbiters: who has lent the half of a split site the right to act for it, and when. */

export interface Word {
  /** Name of the node that gave it. */
  readonly by: string;
  readonly atMs: number;
}

export class Words {
  /** The last one that a node was given, by its name. */
  readonly #last = new Map<string, Word>();

  /** To be heard by whose they are, of envelopes those of the type `quorum.claim`. */
  readonly hears: Hears = {
    'envelope.delivered': ({ envelope: { kind, type, from, to, body }, atMs }) => {
      if (type !== 'quorum.claim' || kind !== 'reply') return;
      if ((body as ReplyOf<'quorum.claim'>).granted) this.#last.set(nodeOf(to), { by: nodeOf(from), atMs });
    },
    // A node that starts anew has nobody's word.
    'node.started': ({ node }) => void this.#last.delete(node),
  };

  lastFor(node: string): Word | undefined {
    return this.#last.get(node);
  }
}
