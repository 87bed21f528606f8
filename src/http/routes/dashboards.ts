/** The dashboards of the esg role. (documented) */
import { z } from 'zod';
import { countsSchema, dashboardsSchema, infoSchema, sitesSchema } from '../../model/shapes/platform.ts';
import { count, countBySite, info } from '../../services/dashboards.ts';
import { resolveScope, scopeNames } from '../../services/scope.ts';
import { answerJson } from '../answering.ts';
import { flagSchema, type QueryParam, scopeQuery } from '../contract.ts';
import { readQuery } from '../reading.ts';
import type { Exchange, Route } from '../route.ts';
import { readScope } from '../scope-query.ts';

const base = '/rest/v1/master/logicalroles/esg/dashboards';
const common = { method: 'GET', source: 'documented', access: { domain: 'master', to: 'read' } } as const;

/** A query boolean: a bare name is true. (chosen) */
const flag = z
  .enum(['true', 'false', '1', '0', ''], 'expected true, false, 1 or 0')
  .transform((text) => text !== 'false' && text !== '0');
const infoQuery = z.object({ regs: flag.optional(), code: z.string().optional() });

const infoParams: readonly QueryParam[] = [
  {
    name: 'regs',
    schema: flagSchema,
    does: 'Show active provider accounts with their registration states',
    source: 'documented',
  },
  {
    name: 'code',
    schema: z.string(),
    does: 'With `regs`: only the account of this provider code',
    source: 'documented',
  },
];

const dashboards = [
  { name: 'info', params: [...scopeNames, 'regs', 'code'] },
  { name: 'count', params: [...scopeNames] },
  { name: 'sites', params: [...scopeNames] },
];

function inScope({ ws, request }: Exchange) {
  return resolveScope(ws.scope.map, 'esg', readScope(request.url));
}

export const dashboardRoutes: readonly Route[] = [
  {
    ...common,
    path: base,
    does: 'Lists the dashboards.',
    gives: { 200: dashboardsSchema },
    answer: () =>
      answerJson(
        dashboards.map(({ name, params }) => ({ name, _links: { self: { href: `${base}/${name}`, params } } })),
      ),
  },
  {
    ...common,
    path: `${base}/info`,
    does: 'Shows what each esg instance serves, and with `regs` its provider accounts.',
    takes: { query: [...scopeQuery, ...infoParams] },
    gives: { 200: infoSchema },
    answer: async (exchange) => {
      const { regs = false, code } = readQuery(exchange.request.url, infoQuery);
      return answerJson(await info(exchange.ws.scope, inScope(exchange), { regs, code }));
    },
  },
  {
    ...common,
    path: `${base}/count`,
    does: 'Counts dialogs and legs.',
    takes: { query: scopeQuery },
    gives: { 200: countsSchema },
    answer: async (exchange) => answerJson(await count(exchange.ws.scope, inScope(exchange))),
  },
  {
    ...common,
    path: `${base}/sites`,
    does: 'Counts dialogs and legs by site.',
    takes: { query: scopeQuery },
    gives: { 200: sitesSchema },
    answer: async (exchange) => answerJson(await countBySite(exchange.ws.scope, inScope(exchange))),
  },
];
