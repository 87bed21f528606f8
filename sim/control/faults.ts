/** The faults of the control interface: the verbs and the form of scenario files. */
import { z } from 'zod';
import type { OperatedCluster } from '../embed/recorded/operator.ts';
import { faultSchema } from '../scenario/language/faults.ts';
import { type ControlRoute, route } from './route.ts';

const listed = z.looseObject({ id: z.string(), since: z.string(), name: z.string().optional() });

export function faultRoutes(operated: () => OperatedCluster): ControlRoute[] {
  const run = <T>(work: (cluster: OperatedCluster) => Promise<T>) => operated().world.during(work(operated()));
  return [
    route({
      method: 'GET',
      path: '/faults',
      does: 'Lists the active faults, each as it was written.',
      gives: z.array(listed),
      answer: () => operated().operator.faults.list(),
    }),
    route({
      method: 'POST',
      path: '/faults',
      does: 'Injects a fault: one verb of scenarios. A fault that repairs, or that ends by itself, is not active.',
      body: faultSchema,
      takesWritten: true,
      gives: z.object({ id: z.string(), active: z.boolean() }),
      answer: ({ body }) => run((cluster) => cluster.enter<'inject'>({ do: 'inject', fault: { ...body } })),
    }),
    route({
      method: 'DELETE',
      path: '/faults',
      does: 'Lifts all faults.',
      answer: () => run((cluster) => cluster.enter<'liftAll'>({ do: 'liftAll' })),
    }),
    route({
      method: 'DELETE',
      path: '/faults/:fault',
      does: 'Lifts a fault, by its id or its name.',
      answer: ({ params }) => run((cluster) => cluster.enter<'lift'>({ do: 'lift', fault: params['fault'] ?? '' })),
    }),
  ];
}
