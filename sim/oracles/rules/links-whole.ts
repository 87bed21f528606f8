/** Since when all nodes run and hear each other: no fault of their traffic stands, and none of them is away or stands still. */
import { aboutVerb } from '../../faults/verbs.ts';
import type { Hears } from '../oracle.ts';

export class LinksWhole {
  readonly hears: Hears;
  readonly #open = new Set<number>();
  readonly #away = new Set<string>();
  #brokenMs = Number.NEGATIVE_INFINITY;

  constructor() {
    this.hears = {
      'fault.inflicted': ({ fault, verb, args, atMs }) => {
        if (verb === 'pauseNode' || verb === 'resumeNode') this.#note(String(args[0]), verb === 'pauseNode', atMs);
        if (aboutVerb(verb).on !== 'traffic') return;
        this.#brokenMs = atMs;
        this.#open.add(fault);
      },
      'fault.mended': ({ fault, verb, atMs }) => {
        if (this.#open.delete(fault)) this.#brokenMs = atMs;
        if (verb !== 'mend') return;
        if (this.#open.size > 0) this.#brokenMs = atMs;
        this.#open.clear();
      },
      'node.started': ({ node, atMs }) => this.#note(node, false, atMs),
      'node.ended': ({ node, atMs }) => this.#note(node, true, atMs),
    };
  }

  /** Milliseconds; 0 while they are not. */
  forMs(nowMs: number): number {
    return this.#open.size > 0 || this.#away.size > 0 ? 0 : nowMs - this.#brokenMs;
  }

  #note(node: string, isAway: boolean, atMs: number): void {
    this.#brokenMs = atMs;
    if (isAway) this.#away.add(node);
    else this.#away.delete(node);
  }
}
