/** What clients have entered at the steps of external authentication, for a while: later steps refer to it. */
import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';

type Fields = Readonly<Record<string, unknown>>;

export class ExternalFlows {
  readonly #random: RoleScope['random'];
  /** By the id of the flow: the fields of each step. */
  readonly #flows: ExpiringMap<ReadonlyMap<string, Fields>>;

  constructor({ clock, random }: RoleScope) {
    this.#random = random;
    this.#flows = new ExpiringMap(clock, limits.externalFlowMs, limits.externalFlows);
  }

  /** The fields that were entered at a step of a flow. */
  entered(flow: string | undefined, step: string): Fields | undefined {
    return flow === undefined ? undefined : this.#flows.get(flow)?.get(step);
  }

  /** Notes what was entered, and returns the id of the flow: a new one where it is unknown. */
  note(flow: string | undefined, step: string, fields: Fields): string {
    const known = flow === undefined ? undefined : this.#flows.get(flow);
    const id =
      flow !== undefined && known !== undefined
        ? flow
        : Buffer.from(this.#random.stream('ids').bytes(16)).toString('base64url');
    const steps = new Map(known);
    steps.delete(step);
    if (steps.size < limits.externalSteps) steps.set(step, fields);
    this.#flows.set(id, steps);
    return id;
  }

  stop(): void {
    this.#flows.clear();
  }
}
