/** The active faults: each until it is lifted, or until another verb or a restart has repaired its target. */
import { endedBy, repairs } from '../faults/verbs.ts';
import type { Observation, ObservationKind } from '../observation/observation.ts';

export const activeFaultKinds = [
  'fault.inflicted',
  'fault.mended',
  'instance.status',
  'node.started',
  'node.ended',
] as const satisfies readonly ObservationKind[];

type Heard = Extract<Observation, { kind: (typeof activeFaultKinds)[number] }>;

export class ActiveFaults {
  /** Numbers of faults that can be lifted. */
  readonly #lifted = new Set<number>();
  /** Verbs that repair a target, with its name; and the fault that it was broken by. */
  readonly #repaired = new Map<string, number>();

  get size(): number {
    return this.#lifted.size + this.#repaired.size;
  }

  /** Whether a fault has ended this node, which has not started again. */
  hasEnded(node: string): boolean {
    return this.#repaired.has(`restartNode ${node}`);
  }

  see(observation: Heard): void {
    switch (observation.kind) {
      case 'fault.inflicted':
        return this.#begin(observation);
      case 'fault.mended':
        return this.#end(observation);
      case 'node.started':
        return void this.#repaired.delete(`restartNode ${observation.node}`);
      case 'node.ended':
        return void this.#repaired.delete(`resumeNode ${observation.node}`);
      case 'instance.status': {
        const { instance, status } = observation;
        const name = instance.slice(instance.lastIndexOf('/') + 1);
        if (status === 'active' || status === 'standby') this.#repaired.delete(`restartInstance ${name}`);
      }
    }
  }

  #begin({ fault, verb, args: [target] }: Extract<Heard, { kind: 'fault.inflicted' }>): void {
    const repair = endedBy[verb];
    if (verb === 'mend') this.#lifted.clear();
    else if (repairs.has(verb)) return;
    else if (repair === undefined) this.#lifted.add(fault);
    else {
      const key = `${repair} ${target}`;
      this.#repaired.set(key, this.#repaired.get(key) ?? fault);
    }
  }

  #end({ fault, verb, args: [target], isRefused }: Extract<Heard, { kind: 'fault.mended' }>): void {
    this.#lifted.delete(fault);
    const key = `${endedBy[verb]} ${target}`;
    if (repairs.has(verb) && !isRefused) this.#repaired.delete(`${verb} ${target}`);
    else if (isRefused && this.#repaired.get(key) === fault) this.#repaired.delete(key);
  }
}
