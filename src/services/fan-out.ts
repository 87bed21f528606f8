/** Fan-out: the same question to every instance in scope, one answer for each, in order, by one deadline. */
import type { InstanceEntry } from '../model/cluster-map.ts';
import { failed, fault, type Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { RoleScope } from '../runtime/role.ts';

export interface Answered<T extends AskType> {
  readonly instance: InstanceEntry;
  readonly outcome: Outcome<ReplyOf<T>>;
}

/** Asks all at once. Who is out of this node's reach is not waited for; who does not answer in time is out of reach too. */
export function askAll<T extends AskType>(
  scope: RoleScope,
  instances: readonly InstanceEntry[],
  type: T,
  body: BodyOf<T>,
): Promise<Answered<T>[]> {
  const { ask, clock, map, view } = scope;
  const deadlineMs = clock.now() + map.topology.timings.edgeWaitMs;
  return Promise.all(
    instances.map(async (instance): Promise<Answered<T>> => {
      if (view.statusOf(instance) === undefined) {
        const message = `${instance.address} is not reachable from site ${scope.instance.site}`;
        return { instance, outcome: failed(fault('unreachable', message, instance.address)) };
      }
      return { instance, outcome: await ask(instance.address, type, body, { deadlineMs }) };
    }),
  );
}

/** The part of an instance's entry that every edge answer has. (documented) */
export interface InstanceRow {
  readonly site: string;
  readonly node: string;
  readonly srvidx: number;
  readonly addr: string;
  readonly online: boolean;
}

export function rowOf<T extends AskType>({ instance, outcome }: Answered<T>): InstanceRow {
  const { site, node, srvidx, addr } = instance;
  return { site, node, srvidx, addr, online: outcome.ok };
}
