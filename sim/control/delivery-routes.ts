/** The HTTP requests of scripts in the control interface, and the stubs of the systems that get them. */
import { z } from 'zod';
import { readQuery } from '../../src/http/read-request.ts';
import { stubAnswerSchema, stubUrlSchema } from '../outside/http/stub-answer.ts';
import { type ControlRoute, during, optional, route } from './route.ts';

const atMs = z.number().describe('In milliseconds since the epoch');
const attempt = z
  .object({
    by: z.enum(['script', 'replay', 'fault']).describe('What sent it; `fault`: a copy, or a late arrival'),
    atMs: atMs.describe('When it was sent, in milliseconds since the epoch'),
    endedMs: atMs.optional().describe('When it ended, in milliseconds since the epoch; absent: it is open'),
    status: z.int().optional().describe('The status of the answer'),
    problem: z.string().optional().describe('Why there is no answer'),
    isDefinite: z.boolean().optional().describe('With a problem: whether it is certain that it has not arrived'),
  })
  .describe('An attempt');
const deliveryView = z.object({
  id: z.string().describe('The id: the same for all attempts, after a failover too'),
  domain: z.string().describe('The domain of the script'),
  run: z.string().describe('The id of the run, as in the journal of scripts'),
  script: z.string().describe('The code of the script'),
  component: z.string().describe('The name of the component'),
  method: z.string().describe('The method'),
  url: z.string().describe('The address'),
  webhookid: z.string().optional().describe('The id of Standard Webhooks; absent without a signature'),
  outcome: z
    .enum(['open', 'definite', 'indefinite'])
    .describe(
      '`open`: an attempt has no end yet; `definite`: the last attempt was answered, or no attempt has arrived; `indefinite`: it is unknown whether it has arrived',
    ),
  status: z.int().optional().describe('The status of the last answer'),
  attempts: z.array(attempt).describe('The attempts, the oldest first'),
});
const deliveryDetail = deliveryView.extend({
  headers: z.record(z.string(), z.string()).describe('The headers of the last attempt'),
  body: z.string().optional().describe('The body; absent: none'),
});
const stubView = z.object({ url: stubUrlSchema, answer: stubAnswerSchema }).describe('A stub');
const unstubSchema = z.object({ url: z.string() });

/** The routes of the requests of scripts, and of the stubs that answer them. */
export const deliveryRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/deliveries',
    does: 'Lists the last HTTP requests of scripts with their attempts, the oldest first.',
    gives: z.array(deliveryView),
    answer: ({ world }) => world.present.world.outside.deliveries.log.all,
  }),
  route({
    method: 'GET',
    path: '/deliveries/:delivery',
    does: 'Shows an HTTP request of a script with headers and body.',
    gives: deliveryDetail,
    answer: ({ world, params }) => world.present.world.outside.deliveries.log.get(params['delivery'] ?? '').detail(),
  }),
  route({
    method: 'POST',
    path: '/deliveries/:delivery/replay',
    does: 'Sends an HTTP request of a script again: under the same webhook id, with a signature of this time. The script does not learn of it.',
    gives: deliveryDetail,
    answer: ({ world, params }) =>
      during(world, (cluster) => cluster.enter<'replay'>({ do: 'replay', delivery: params['delivery'] ?? '' })),
  }),
  route({
    method: 'GET',
    path: '/stubs',
    does: 'Lists the stubs of other systems.',
    gives: z.array(stubView),
    answer: ({ world }) => [...world.present.world.outside.stubs.answers].map(([url, answer]) => ({ url, answer })),
  }),
  route({
    method: 'PUT',
    path: '/stubs',
    does: 'Makes a stub answer the HTTP requests of scripts whose address begins with `url`. The longest `url` decides; without one a request is sent, or refused in virtual time.',
    body: z.strictObject({ url: stubUrlSchema, answer: stubAnswerSchema }),
    answer: ({ world, body }) => world.present.enter<'stub'>({ do: 'stub', ...body }),
  }),
  route({
    method: 'DELETE',
    path: '/stubs',
    does: 'Removes a stub.',
    query: [optional('url', 'The beginning of the addresses of the stub')],
    answer: ({ world, url }) => world.present.enter<'unstub'>({ do: 'unstub', url: readQuery(url, unstubSchema).url }),
  }),
];
