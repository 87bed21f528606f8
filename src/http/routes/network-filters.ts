/** The network filters of the edge roles esg, sg and ws. (documented; `ws/bannedaddrs/site` public) */

import { z } from 'zod';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import type { EdgeRole } from '../../model/cluster/roles.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { limits } from '../../model/limits.ts';
import { filterRowSchema, resultRowSchema } from '../../model/shapes/platform-shapes.ts';
import { resolveScope } from '../../services/fan-out.ts';
import { ban, type FilterRow, liftBans, listBans } from '../../services/filter-requests.ts';
import { type Exchange, listOf, listQuery, type RouteDefinition, type Source, scopeQuery } from '../contract.ts';
import { answerItems } from '../lists.ts';
import { check, readBody, readCollectionQuery, readScope, readScopeOfChange } from '../read-request.ts';
import { answerEmpty, answerJson } from '../responses.ts';

const ipv4 = z.ipv4('expected an IPv4 address');
/** Automatic bans of ws may be IPv6. (chosen) */
const anyIp = z.union([z.ipv4(), z.ipv6()], 'expected an IP address');

/** `expires` in seconds, as a number or a text: the documented example sends a text. */
const banSchema = z.strictObject({
  ip: ipv4.describe('Address to ban'),
  expires: z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value),
      z
        .int(`expected an integer from 1 to ${limits.banSeconds}`)
        .min(1, `expected an integer from 1 to ${limits.banSeconds}`)
        .max(limits.banSeconds, `expected an integer from 1 to ${limits.banSeconds}`),
    )
    .describe('Seconds until the ban ends, as a number or a text of digits; again: counts from now'),
});

const shape: CollectionShape<FilterRow> = {
  item: filterRowSchema,
  fields: ['banned', 'addr', 'node', 'online', 'site', 'srvidx'],
  defaultOrder: ['site', 'node', 'srvidx'],
  tieBreak: ['srvidx'],
  isOrdered: true,
  isCountable: true,
};

type Resolve = (exchange: Exchange, isChange: boolean) => readonly InstanceEntry[];

export const networkFilterRoutes: readonly RouteDefinition[] = [
  ...filterRoutes('esg', inScope('esg')),
  ...filterRoutes('sg', inScope('sg')),
  ...filterRoutes('ws', ofOwnSite, '/site'),
  ...filterRoutes('ws', inScope('ws')),
];

function inScope(role: EdgeRole): Resolve {
  return ({ ws, request }, isChange) =>
    resolveScope(ws.scope.map, role, isChange ? readScopeOfChange(request.url) : readScope(request.url));
}

/** Every ws instance of the own site. */
function ofOwnSite({ ws }: Exchange): readonly InstanceEntry[] {
  return resolveScope(ws.scope.map, 'ws', { site: ws.scope.instance.site });
}

function filterRoutes(role: EdgeRole, resolve: Resolve, suffix = ''): RouteDefinition[] {
  const path = `/rest/v1/master/logicalroles/${role}/bannedaddrs${suffix}`;
  const source: Source = suffix === '' ? 'documented' : 'public';
  const change = { source, access: { domain: 'master', to: 'change' } } as const;
  const where = suffix === '' ? `every ${role} instance in scope` : 'every ws instance of this site';
  const scoped = suffix === '' ? scopeQuery : [];
  const routes: RouteDefinition[] = [
    {
      method: 'GET',
      path,
      does: `Lists the banned addresses of ${where}.`,
      source,
      access: { domain: 'master', to: 'read' },
      takes: { query: [...scoped, ...listQuery(shape)] },
      gives: { 200: listOf(filterRowSchema, shape) },
      answer: async (exchange) => {
        const query = readCollectionQuery(exchange.request.url, shape);
        const rows = await listBans(exchange.ws.scope, resolve(exchange, false));
        return answerItems(exchange.ws.scope, rows, { query, shape });
      },
    },
    {
      method: 'DELETE',
      path,
      does: `Lifts all bans on ${where}.`,
      ...change,
      takes: { query: scoped },
      gives: { 204: 'nothing' },
      answer: async (exchange) => {
        await liftBans(exchange.ws.scope, resolve(exchange, true));
        return answerEmpty();
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:ip`,
      does: `Lifts the ban of one address on ${where}.`,
      ...change,
      takes: { query: scoped },
      gives: { 204: 'nothing' },
      answer: async (exchange) => {
        const ip = check(anyIp, exchange.params['ip'], 'ip');
        await liftBans(exchange.ws.scope, resolve(exchange, true), ip);
        return answerEmpty();
      },
    },
  ];
  // ws bans addresses only automatically.
  if (role === 'ws') return routes;
  const adding: RouteDefinition = {
    method: 'POST',
    path,
    does: `Bans an address on ${where}; again: prolongs its ban.`,
    ...change,
    takes: { query: scoped, body: banSchema },
    gives: { 200: z.array(resultRowSchema) },
    answer: async (exchange) => {
      const instances = resolve(exchange, true);
      const body = await readBody(exchange.request, banSchema);
      return answerJson(await ban(exchange.ws.scope, instances, body));
    },
  };
  return [adding, ...routes];
}
