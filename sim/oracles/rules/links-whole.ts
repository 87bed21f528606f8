/** Since when all nodes run and hear each other: no fault of their traffic stands, and none of them is away or stands still. */
import type { Hears } from '../oracle.ts';

const trafficVerbs: ReadonlySet<string> = new Set(['cut', 'hold', 'delay', 'lose', 'duplicate']);
/** Faults that are not between nodes, or are seen by what they do to them. */
const otherVerbs: ReadonlySet<string> = new Set([
  ...['crashNode', 'restartNode', 'crashInstance', 'restartInstance', 'pauseNode', 'resumeNode', 'mend'],
  ...['silence', 'revive', 'flap', 'refuseRegister', 'loseOutside', 'duplicateOutside', 'cutOutside'],
]);

export class LinksWhole {
  readonly hears: Hears;
  readonly #open = new Set<number>();
  readonly #away = new Set<string>();
  #brokenMs = Number.NEGATIVE_INFINITY;

  constructor() {
    this.hears = {
      'fault.inflicted': ({ fault, verb, args, atMs }) => {
        if (verb === 'pauseNode' || verb === 'resumeNode') this.#note(String(args[0]), verb === 'pauseNode', atMs);
        // What a verb does that is not known here may be anything.
        if (!trafficVerbs.has(verb) && otherVerbs.has(verb)) return;
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
