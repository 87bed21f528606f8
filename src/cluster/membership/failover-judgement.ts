/**
 * Decides which instance of an active-passive group serves, from the view of each member's own node: members exchange only
 * the statuses that the view carries.
 *
 * The active instance stays active while its site is quorate, so a returning instance does not take over again. A standby
 * is elected when no reachable member is active or precedes it by group priority. If members are unreachable, it waits for
 * `takeoverMs`, so that an active instance on the other side can step down first (`machines/cluster/failover.ts`).
 */

import { type FindActor, withCommands } from '../../actors/actor-logic.ts';
import { type FailoverCommand, type FailoverEvent, failoverMachine } from '../../machines/cluster/failover.ts';
import type { ClusterMap, InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { isServing } from '../../model/cluster/states.ts';
import type { ClusterView } from './view.ts';

export interface FailoverOptions {
  readonly map: ClusterMap;
  readonly view: ClusterView;
  readonly find: FindActor;
  readonly isQuorate: () => boolean;
  /** Sends the outcome of an election to the instance of this node that it concerns. */
  readonly decide: (instance: InstanceEntry, outcome: 'elected' | 'deposed') => void;
}

type Judgement = FailoverEvent['type'];

export class Failover {
  /** Members of groups on this node; each has a failover actor under `Failover.id(name)`. */
  readonly candidates: readonly string[];
  readonly #options: FailoverOptions;
  readonly #groups: ReadonlyMap<string, { instance: InstanceEntry; others: readonly InstanceEntry[] }>;

  constructor(options: FailoverOptions) {
    this.#options = options;
    const members = options.view.self.instances.filter((instance) => instance.group !== undefined);
    this.candidates = members.map(({ name }) => name);
    this.#groups = new Map(
      members.map((instance) => {
        const others = options.map.groupOf(instance).filter((each) => each !== instance);
        return [Failover.id(instance.name), { instance, others }];
      }),
    );
  }

  static id(instance: string): string {
    return `failover/${instance}`;
  }

  readonly logic = withCommands(failoverMachine, (command, { id }) => this.#execute(command, id));

  /** Evaluates every group with a member on this node. */
  look(): void {
    for (const [id, { instance, others }] of this.#groups) {
      const actor = this.#options.find(id);
      const type = this.#judge(instance, others);
      // Most changes of the view are not about the group: that it is served again changes nothing.
      if (type !== 'election.not.needed' || actor?.getSnapshot().value !== 'settled') actor?.send({ type });
    }
  }

  #execute(command: FailoverCommand, id: string): void {
    const member = this.#groups.get(id);
    if (member === undefined || command.type === 'event.unexpected') return;
    this.#options.decide(member.instance, command.type === 'elect' ? 'elected' : 'deposed');
  }

  #judge(self: InstanceEntry, others: readonly InstanceEntry[]): Judgement {
    const { view, isQuorate } = this.#options;
    const status = view.statusOf(self);
    if (status === 'active') {
      return isQuorate() && !this.#mustYield(self, others) ? 'election.not.needed' : 'member.must.step.down';
    }
    if (status !== 'standby' || !isQuorate()) return 'election.not.needed';
    const statuses = others.map((each) => ({ each, status: view.reportedStatusOf(each) }));
    if (statuses.some((other) => isServing(other.status))) return 'election.not.needed';
    const isFirst = statuses.every(
      (other) => other.each.order > self.order || (other.status !== 'standby' && other.status !== 'starting'),
    );
    if (!isFirst) return 'election.not.needed';
    return statuses.some((other) => other.status === undefined) ? 'group.uncertain' : 'group.vacant';
  }

  /** Of two active instances that see each other after a partition, the one with the later priority yields. */
  #mustYield(self: InstanceEntry, others: readonly InstanceEntry[]): boolean {
    return others.some((each) => each.order < self.order && this.#options.view.reportedStatusOf(each) === 'active');
  }
}
