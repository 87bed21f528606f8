/** The words of arbiters: who has lent the half of a split site the right to act for it, and when. */
import { nodeOf } from '../../../src/model/address.ts';
import type { ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type { Hears } from '../oracle.ts';

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
