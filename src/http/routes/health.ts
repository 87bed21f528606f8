/** Whether the ws instance that answers is ready: for load balancers and container health checks. */
import { z } from 'zod';
import { answerError, answerJson } from '../answering.ts';
import type { Route } from '../route.ts';

const readySchema = z.strictObject({
  status: z.literal('ready').describe('The instance serves requests'),
  instance: z.string().describe('Address of the ws instance that answers, such as `hq/h1/ws-111`'),
});

export const healthRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/healthz',
    does: 'Says whether this ws instance is ready: it serves, and knows which of its peers it can reach.',
    source: 'chosen',
    access: 'open',
    isTool: true,
    gives: { 200: readySchema },
    refuses: [503],
    answer: ({ ws }) => {
      const { instance, view } = ws.scope;
      if (!view.isFormed) return answerError(503, `${instance.address} is starting`, { 'retry-after': '1' });
      return answerJson({ status: 'ready', instance: instance.address });
    },
  },
];
