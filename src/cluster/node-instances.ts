/** The role instances of a node: makes each for its supervisor, finds the running ones, and describes all. */
import type { AnyActorRef } from 'xstate';
import type { FindActor, ObjectSnapshot } from '../actors/actor-logic.ts';
import type { Counters } from '../actors/counters.ts';
import type { ScopedClock } from '../actors/scoped-clock.ts';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../model/cluster/cluster-map.ts';
import type { FaultPoints } from '../ports/instrumentation/fault-points.ts';
import type { Probe } from '../ports/instrumentation/probe.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import { RoleInstance } from './instance.ts';
import type { LogLevels } from './log-levels.ts';
import type { NodeParts } from './node-parts.ts';
import type { RoleFactory } from './role.ts';

export interface NodeInstancesOptions {
  readonly entry: NodeEntry;
  readonly map: ClusterMap;
  readonly clock: ScopedClock;
  readonly random: Random;
  readonly log: Log;
  readonly levels: LogLevels;
  readonly counters: Counters;
  readonly faultPoints: FaultPoints;
  readonly makeRole: RoleFactory;
  readonly probe?: Probe | undefined;
  readonly find: FindActor;
}

export class NodeInstances {
  readonly #options: NodeInstancesOptions;

  constructor(options: NodeInstancesOptions) {
    this.#options = options;
  }

  /** The running instance with this name. */
  get(name: string): RoleInstance | undefined {
    const { entry, find } = this.#options;
    const actor = find(`${entry.address}/${name}`);
    return (actor?.getSnapshot() as ObjectSnapshot<RoleInstance> | undefined)?.object;
  }

  /** All instances of the node, as `/nodes` shows them. */
  describe() {
    const { entry, levels } = this.#options;
    return entry.instances.map(({ name }) => {
      const instance = this.get(name);
      const maxLogLevel = levels.levelOf(name);
      return {
        name,
        status: instance?.status ?? ('stopped' as const),
        startedMs: instance?.startedMs ?? 0,
        maxLogLevel,
      };
    });
  }

  /** Sends the outcome of an election to an instance that can be elected; without effect on others. */
  applyElection(instance: InstanceEntry, outcome: 'elected' | 'deposed'): void {
    const status = this.get(instance.name)?.status;
    if (status === 'standby' || status === 'active') this.#options.find(instance.address)?.send({ type: outcome });
  }

  /** A new incarnation of an instance, in the actor `self`. */
  make(name: string, self: AnyActorRef, parts: NodeParts): RoleInstance {
    const { entry: node, map, clock, random, makeRole, faultPoints, probe, levels } = this.#options;
    const { incarnations, view, router, asks, quarantine } = parts;
    const entry = map.instance(`${node.address}/${name}`);
    const log = levels.limited(name, this.#options.log.child({ instance: name }));
    const counters = this.#options.counters.of(entry.address);
    const scoped = clock.scope();
    const epoch = incarnations.nextEpoch();
    return new RoleInstance({
      factory: makeRole,
      scope: { instance: entry, epoch, map, view, clock: scoped, random, log, counters, faultPoints },
      router,
      asks,
      quarantine,
      self,
      onStatus: (status) => {
        log.write('info', 'instance.status', { status });
        probe?.instanceStatus(entry.address, status);
        view.setInstance(name, status);
      },
    });
  }
}
