/** The audio matcher of the platform. Master domain only. (documented) */
import { z } from 'zod';
import { limits } from '../../model/limits.ts';
import { matcherInfoSchema } from '../../model/protocol/messages/mware.ts';
import { matcherStatus, reloadMatchers } from '../../services/matcher-requests.ts';
import type { QueryParam, RouteDefinition } from '../contract.ts';
import { missingSites } from '../lists.ts';
import { readBody, readQuery } from '../read-request.ts';
import { answerJson } from '../responses.ts';

const base = '/rest/v1/master/audiomatcher';

const names = z.array(z.string(), 'expected a list of names').max(limits.listItems).optional();
const reloadSchema = z.strictObject({
  action: z
    .literal('reload', 'expected "reload"')
    .optional()
    .describe('`reload`: load the reference samples again; absent: no action'),
  sites: names.describe('Only matchers of these sites; absent: of all'),
  nodes: names.describe('Only matchers of these nodes; absent: of all'),
});

const csv = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .optional();
const statusQuery = z.object({ sites: csv, nodes: csv });
const statusParams: readonly QueryParam[] = [
  { name: 'sites', schema: z.string(), does: 'Only these sites, separated by commas', source: 'documented' },
  { name: 'nodes', schema: z.string(), does: 'Only these nodes, separated by commas', source: 'documented' },
];

const statusSchema = z
  .record(
    z.string(),
    z.array(
      z.strictObject({
        info: matcherInfoSchema.describe('State of the matcher'),
        node: z.string().describe('Node of the matcher'),
      }),
    ),
  )
  .describe('Matchers by site; a matcher that does not answer is left out');

export const audioMatcherRoutes: readonly RouteDefinition[] = [
  {
    method: 'POST',
    path: base,
    does: 'Starts reloading the samples of the audio matchers in scope; does not wait for the end.',
    source: 'documented',
    access: { domain: 'master', to: 'change' },
    takes: { body: reloadSchema },
    gives: { 200: z.literal('ok') },
    refuses: [503, 504],
    answer: async ({ ws, request }) => {
      const { action, ...scope } = await readBody(request, reloadSchema);
      const { missing } = await reloadMatchers(ws.scope, scope, action);
      return answerJson('ok', missingSites(missing));
    },
  },
  {
    method: 'GET',
    path: `${base}/status`,
    does: 'Shows the state of the audio matchers in scope, by site.',
    source: 'documented',
    access: { domain: 'master', to: 'read' },
    takes: { query: statusParams },
    gives: { 200: statusSchema },
    answer: async ({ ws, request }) => {
      const { status, missing } = await matcherStatus(ws.scope, readQuery(request.url, statusQuery));
      return answerJson(status, missingSites(missing));
    },
  },
];
