/** Routes of dashboards, and of the metadata that user interfaces are drawn from. */
import { z } from 'zod';
import { chosen } from '../../../model/provenance.ts';
import { formSchema, navSchema, tabSchema } from '../../../model/shapes/file-shapes.ts';
import { countsSchema, dashboardsSchema, infoSchema, sitesSchema } from '../../../model/shapes/platform-shapes.ts';
import { resolveScope, scopeNames } from '../../../services/fan-out.ts';
import {
  count,
  countBySite,
  type InfoTree,
  info,
  type MetadataFiles,
  type MetadataQuery,
  metadataFor,
} from '../../../services/web-apps/user-interface.ts';
import {
  type Exchange,
  flagSchema,
  identityOf,
  type QueryParam,
  type RouteDefinition,
  scopeQuery,
} from '../../contract.ts';
import { missingSites } from '../../lists.ts';
import { readQuery, readScope } from '../../read-request.ts';
import { answerJson, answerJsonText } from '../../responses.ts';

const dashboardsPath = '/rest/v1/master/logicalroles/esg/dashboards';
const dashboard = { method: 'GET', source: 'documented', access: { domain: 'master', to: 'read' } } as const;

/** A boolean in the query: a bare name means true. (chosen) */
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

/** Sums over the scope. `X-Missing-Sites` names the sites of which an instance did not answer: the sums leave it out. (chosen) */
async function answerSums(exchange: Exchange, sums: (tree: InfoTree) => object): Promise<Response> {
  const tree = await info(exchange.ws.scope, inScope(exchange), { regs: false, code: undefined });
  const missing = tree.sites.filter(({ servers }) => servers.some(({ online }) => !online));
  return answerJson(sums(tree), missingSites(missing.map(({ site }) => site)));
}

export const dashboardRoutes: readonly RouteDefinition[] = [
  {
    ...dashboard,
    path: dashboardsPath,
    does: 'Lists the dashboards.',
    gives: { 200: dashboardsSchema },
    answer: () =>
      answerJson(
        dashboards.map(({ name, params }) => ({
          name,
          _links: { self: { href: `${dashboardsPath}/${name}`, params } },
        })),
      ),
  },
  {
    ...dashboard,
    path: `${dashboardsPath}/info`,
    does: 'Shows the dialogs and legs of each esg instance, and with `regs` its provider accounts.',
    takes: { query: [...scopeQuery, ...infoParams] },
    gives: { 200: infoSchema },
    answer: async (exchange) => {
      const { regs = false, code } = readQuery(exchange.request.url, infoQuery);
      return answerJson(await info(exchange.ws.scope, inScope(exchange), { regs, code }));
    },
  },
  {
    ...dashboard,
    path: `${dashboardsPath}/count`,
    does: 'Counts dialogs and legs.',
    takes: { query: scopeQuery },
    gives: { 200: countsSchema },
    answer: (exchange) => answerSums(exchange, count),
  },
  {
    ...dashboard,
    path: `${dashboardsPath}/sites`,
    does: 'Counts dialogs and legs by site.',
    takes: { query: scopeQuery },
    gives: { 200: sitesSchema },
    answer: (exchange) => answerSums(exchange, countBySite),
  },
];

const metadataPath = '/rest/v1/metadata/entities';
const document = { method: 'GET', source: 'documented', access: 'session' } as const;

export function metadataRoutes(files: MetadataFiles): readonly RouteDefinition[] {
  const answer = (exchange: Exchange, of?: MetadataQuery['of']) => {
    const { domain } = identityOf(exchange).session;
    return answerJsonText(
      metadataFor(exchange.ws.scope.map, files, {
        domain,
        ...(of !== undefined && { of }),
      }),
    );
  };
  const ofClass = (file: 'tab.json' | 'form.json', schema: z.ZodObject, does: string): RouteDefinition => ({
    ...document,
    path: `${metadataPath}/:class/${file}`,
    does,
    gives: { 200: orFile(schema) },
    refuses: [404],
    answer: (exchange) => answer(exchange, { kind: exchange.params['class'] ?? '', file }),
  });
  return [
    {
      ...document,
      path: `${metadataPath}/nav.json`,
      does: 'Shows the navigation panel: the classes of entities that the domain has, in groups.',
      gives: { 200: orFile(navSchema) },
      answer: (exchange) => answer(exchange),
    },
    ofClass('tab.json', tabSchema, 'Shows the list view of a class: columns, order, operations.'),
    ofClass('form.json', formSchema, 'Shows the edit form of a class: fields and their possible values.'),
  ];
}

function orFile(schema: z.ZodObject): z.ZodType {
  return z.union([schema, z.unknown().describe('Any JSON: a file of the metadata folder, as it is')]).meta(chosen);
}
