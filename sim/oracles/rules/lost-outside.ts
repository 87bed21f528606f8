/**
 * When a message of a call may have been lost without a trace: on its way to or from phones and providers, which nobody sees
 * arrive, or because who had to send it knew no way.
 */
import type { ClusterMap } from '../../../src/model/cluster-map.ts';
import { aboutVerb } from '../../faults/verbs.ts';
import type { Hears } from '../oracle.ts';

/** What faults lose inside is seen to be lost. */
function isInside(verb: string): boolean {
  return !['outside', 'all'].includes(aboutVerb(verb).on);
}

/** Whom these are done to is silent now or then, until it is revived. */
const silencing: ReadonlySet<string> = new Set(['silence', 'flapOutside']);
const wayless = /^(b2b\.no_way|sip\.no_such_hop|edge\.dropped\.|edge\.refused\.(408|480|481|503)$)/;

export class LostOutside {
  readonly hears: Hears;
  /** Outside or inside, and inside (ms since the epoch). */
  lastMs = Number.NEGATIVE_INFINITY;
  lastInsideMs = Number.NEGATIVE_INFINITY;
  readonly #open = new Set<number>();
  readonly #silent = new Set<string>();
  /** Edges that do not serve: what is sent to them is lost. */
  readonly #away = new Set<string>();

  constructor(map: ClusterMap) {
    const isEdge = (address: string) => ['sg', 'esg'].includes(map.instances.get(address)?.role ?? '');
    this.hears = {
      'instance.status': ({ instance, status, atMs }) => {
        if (isEdge(instance)) this.#note(instance, { isAway: status !== 'active', atMs });
      },
      'instance.crashed': ({ instance, atMs }) => {
        if (isEdge(instance)) this.#note(instance, { isAway: true, atMs });
      },
      'node.ended': ({ node, atMs }) => {
        for (const { address } of map.node(node).instances) {
          if (isEdge(address)) this.#note(address, { isAway: true, atMs });
        }
      },
      'fault.inflicted': ({ fault, verb, args, atMs }) => {
        // What comes to an edge that stands still waits until it goes on.
        if (verb === 'pauseNode' || verb === 'resumeNode') {
          for (const { address } of map.nodes.get(String(args[0]))?.instances ?? []) {
            if (isEdge(address)) this.#note(address, { isAway: verb === 'pauseNode', atMs });
          }
        }
        if (isInside(verb)) return;
        this.lastMs = atMs;
        this.#open.add(fault);
        if (silencing.has(verb)) this.#silent.add(String(args[0]));
        if (verb === 'revive') this.#silent.delete(String(args[0]));
      },
      'fault.mended': ({ fault, verb, atMs }) => {
        if (isInside(verb)) return;
        this.lastMs = atMs;
        this.#open.delete(fault);
        if (verb === 'mend') this.#open.clear();
      },
      counted: ({ name, atMs }) => {
        if (!wayless.test(name)) return;
        this.lastMs = atMs;
        this.lastInsideMs = atMs;
      },
    };
  }

  /** To be called now and then: what stands still loses. */
  look(nowMs: number): void {
    if (this.#open.size > 0 || this.#silent.size > 0 || this.#away.size > 0) this.lastMs = nowMs;
  }

  #note(edge: string, { isAway, atMs }: { isAway: boolean; atMs: number }): void {
    this.lastMs = atMs;
    if (isAway) this.#away.add(edge);
    else this.#away.delete(edge);
  }
}
