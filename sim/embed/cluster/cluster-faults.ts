/** The fault verbs of a cluster in a test: those of scenarios, each with its typed parameters. */
import type { z } from 'zod';
import { type FaultVerb, type faultSchema, faultVerbs } from '../../scenario/language/fault-schema.ts';
import type { ListedFault } from '../../scenario/run/listed-faults.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';

type Written = z.input<typeof faultSchema>;

/** A fault that was injected. Leaving the scope of `await using` lifts it. */
export interface ClusterFault extends AsyncDisposable {
  readonly id: string;
  /** False for a fault that repairs, and for one that ends by itself. */
  readonly isActive: boolean;
  /** Lifts the fault; no effect if it is over. */
  lift(): Promise<void>;
}

export interface FaultOptions {
  /** Name by which `mend` and `lift` find the fault. */
  readonly name?: string;
}

type FaultVerbs = {
  readonly [V in FaultVerb]: (on: NonNullable<Written[V]>, options?: FaultOptions) => Promise<ClusterFault>;
};

export interface ClusterFaults extends FaultVerbs {
  /** The active faults. */
  list(): readonly ListedFault[];
  /** Lifts the faults of an id or a name. */
  lift(which: string): Promise<void>;
  liftAll(): Promise<void>;
}

/** @internal */
export function clusterFaults(present: () => RecordedWorld): ClusterFaults {
  const run = <T>(work: Promise<T>) => present().world.during(work);
  const isListed = (id: string) =>
    present()
      .operator.faults.list()
      .some((fault) => fault.id === id);
  const lift = (which: string) => run(present().enter<'lift'>({ do: 'lift', fault: which }));
  const inject = async (verb: FaultVerb, on: unknown, { name }: FaultOptions = {}): Promise<ClusterFault> => {
    const fault = { [verb]: on, ...(name !== undefined && { name }) };
    const { id, active } = await run(present().enter<'inject'>({ do: 'inject', fault }));
    const liftIt = async () => {
      if (isListed(id)) await lift(id);
    };
    return { id, isActive: active, lift: liftIt, [Symbol.asyncDispose]: liftIt };
  };
  const verbs = faultVerbs.map((verb) => [verb, (on: unknown, options?: FaultOptions) => inject(verb, on, options)]);
  return {
    ...(Object.fromEntries(verbs) as FaultVerbs),
    list: () => present().operator.faults.list(),
    lift,
    liftAll: () => run(present().enter<'liftAll'>({ do: 'liftAll' })),
  };
}
