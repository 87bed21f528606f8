/** The faults of the control interface: the verbs and the form of scenario files. */
import { z } from 'zod';
import { faultSchema } from '../scenario/language/fault-schema.ts';
import { type ControlRoute, during, route } from './route.ts';

const id = z.string().describe('The id of the fault, such as f1');
const listed = z
  .looseObject({
    id,
    since: z.string().describe('When it was injected'),
    name: z.string().optional().describe('Its name, if it has one'),
  })
  .describe('An active fault: its verb and its parameters as they were written');
const injected = z.object({
  id,
  active: z.boolean().describe('False for a fault that repairs, and for one that ends by itself'),
});

export const faultRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/faults',
    does: 'Lists the active faults, with and without a name, each as it was written.',
    gives: z.array(listed),
    answer: ({ world }) => world.present.operator.faults.list(),
  }),
  route({
    method: 'POST',
    path: '/faults',
    does: 'Injects a fault: one verb of scenarios. A fault that repairs, or that ends by itself, is not active.',
    body: faultSchema,
    takesWritten: true,
    gives: injected,
    answer: ({ world, body }) =>
      during(world, (cluster) => cluster.enter<'inject'>({ do: 'inject', fault: { ...body } })),
  }),
  route({
    method: 'DELETE',
    path: '/faults',
    does: 'Lifts all faults.',
    answer: ({ world }) => during(world, (cluster) => cluster.enter<'liftAll'>({ do: 'liftAll' })),
  }),
  route({
    method: 'DELETE',
    path: '/faults/:fault',
    does: 'Lifts a fault, by its id or its name.',
    answer: ({ world, params }) =>
      during(world, (cluster) => cluster.enter<'lift'>({ do: 'lift', fault: params['fault'] ?? '' })),
  }),
];
