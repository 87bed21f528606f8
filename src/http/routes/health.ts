/** Whether the ws instance that answers is ready: for load balancers and container health checks. */
import { z } from 'zod';
import { answerError, answerJson } from '../answering.ts';
import type { Route } from '../route.ts';

export const healthRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/healthz',
    does: 'Says whether this ws instance is ready: it serves, and knows which of its peers it can reach.',
    source: 'chosen',
    access: 'open',
    isTool: true,
    gives: { 200: z.strictObject({ status: z.literal('ready'), instance: z.string() }) },
    refuses: [503],
    answer: ({ ws }) => {
      const { instance, view } = ws.scope;
      if (!view.isFormed) return answerError(503, `${instance.address} is starting`, { 'retry-after': '1' });
      return answerJson({ status: 'ready', instance: instance.address });
    },
  },
];
