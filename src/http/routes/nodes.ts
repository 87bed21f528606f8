/** Routes of nodes, of the health of a front, and of the journal of ended calls and script runs. */
import { z } from 'zod';
import { applyItem } from '../../model/collection/collection.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { shownCdrSchema } from '../../model/protocol/messages/callstore.ts';
import { recordShape } from '../../model/shapes/calls.ts';
import { logLevelSchema, nodeSchema } from '../../model/shapes/platform.ts';
import { scriptRunDetailSchema, scriptRunSchema, scriptRunShape } from '../../model/shapes/scripts.ts';
import { requesterOf } from '../../services/mware.ts';
import {
  findNode,
  listNodes,
  listRecords,
  type NodeRow,
  setLogLevel,
  showRecord,
  terminateNode,
} from '../../services/nodes.ts';
import { listRuns, showRun } from '../../services/scripts.ts';
import {
  type Exchange,
  identityOf,
  itemQuery,
  listOf,
  listQuery,
  maskedOf,
  type RouteDefinition,
} from '../contract.ts';
import { answerItems, answerList, listParams, missingSites } from '../lists.ts';
import { readBody, readCollectionQuery, readItemQuery } from '../requests.ts';
import { answerEmpty, answerError, answerJson } from '../responses.ts';

const collection = '/rest/v1/master/nodes';
/** Default order: as in the topology, a server before its role nodes. */
const shape: CollectionShape<NodeRow> = {
  item: nodeSchema,
  defaultOrder: [],
  tieBreak: ['name'],
  isOrdered: true,
  isCountable: true,
};

function nameIn({ params }: Exchange): string {
  return params['name'] ?? '';
}

const nodePatchSchema = z.strictObject({ maxLogLevel: logLevelSchema });

export const nodeRoutes: readonly RouteDefinition[] = [
  {
    method: 'GET',
    path: collection,
    does: 'Lists servers and role nodes, as the site that answers sees them.',
    source: 'public',
    access: { domain: 'master', to: 'read' },
    takes: { query: listQuery(shape) },
    gives: { 200: listOf(nodeSchema, shape) },
    answer: async ({ ws, request }) => {
      const query = readCollectionQuery(request.url, shape);
      return answerItems(ws.scope, await listNodes(ws.scope), { query, shape });
    },
  },
  {
    method: 'GET',
    path: `${collection}/:name`,
    does: 'Shows one server or role node.',
    source: 'public',
    access: { domain: 'master', to: 'read' },
    takes: { query: itemQuery },
    gives: { 200: maskedOf(nodeSchema) },
    answer: async (exchange) => {
      const query = readItemQuery(exchange.request.url, shape);
      return answerJson(applyItem(await findNode(exchange.ws.scope, nameIn(exchange)), query));
    },
  },
  {
    method: 'PATCH',
    path: `${collection}/:name`,
    does: 'Sets the log level of a server or a role node, until its server restarts. No other field can be changed.',
    source: 'public',
    access: { domain: 'master', to: 'change' },
    takes: { body: nodePatchSchema },
    gives: { 200: nodeSchema },
    answer: async (exchange) => {
      const { maxLogLevel } = await readBody(exchange.request, nodePatchSchema);
      return answerJson(await setLogLevel(exchange.ws.scope, nameIn(exchange), maxLogLevel));
    },
  },
  {
    method: 'DELETE',
    path: `${collection}/:name`,
    does: 'Terminates a server or a role node. The supervisor restarts a role node.',
    source: 'public',
    access: { domain: 'master', to: 'change' },
    gives: { 204: 'nothing' },
    answer: async (exchange) => {
      await terminateNode(exchange.ws.scope, nameIn(exchange));
      return answerEmpty();
    },
  },
];

const readySchema = z.strictObject({
  status: z.literal('ready').describe('The instance serves requests'),
  instance: z.string().describe('Address of the ws instance that answers, such as `hq/h1/ws-111`'),
});

/** Readiness of the ws instance that answers, for load balancers and container health checks. */
export const healthRoutes: readonly RouteDefinition[] = [
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

/** The journal: records of ended calls. (paths modelled on the documented ones of recordings; all else chosen) */
export const journalRoutes: readonly RouteDefinition[] = [
  ...recordRoutes('/rest/v1/journal/calls', false),
  ...recordRoutes('/rest/v1/journal/calls_by_participation', true),
  ...scriptRunRoutes('/rest/v1/journal/scripts'),
];

/** Runs of service scripts. Their variables are for administrators. (chosen) */
function scriptRunRoutes(base: string): RouteDefinition[] {
  const common = { method: 'GET', source: 'chosen', access: { domain: 'any', to: 'change' } } as const;
  return [
    {
      ...common,
      path: base,
      does: 'Lists the last runs of service scripts of the domain.',
      takes: { query: listQuery(scriptRunShape) },
      gives: { 200: listOf(scriptRunSchema, scriptRunShape) },
      answer: async (exchange) => {
        const { scope } = exchange.ws;
        const query = readCollectionQuery(exchange.request.url, scriptRunShape);
        const { runs, missing } = await listRuns(scope, identityOf(exchange).session.domain);
        const response = await answerItems(scope, runs, { query, shape: scriptRunShape });
        for (const [name, value] of Object.entries(missingSites(missing))) response.headers.set(name, value);
        return response;
      },
    },
    {
      ...common,
      path: `${base}/:id`,
      does: 'Shows a run of a service script with its steps and variables.',
      gives: { 200: scriptRunDetailSchema },
      answer: async (exchange) => {
        const id = (exchange.params['id'] ?? '').toLowerCase();
        return answerJson(await showRun(exchange.ws.scope, identityOf(exchange).session.domain, id));
      },
    },
  ];
}

function recordRoutes(base: string, isOwn: boolean): RouteDefinition[] {
  const common = { method: 'GET', source: 'chosen', access: { domain: 'any', to: isOwn ? 'own' : 'read' } } as const;
  const which = isOwn ? 'ended calls in which your own SIP users took part' : 'ended calls of the domain';
  return [
    {
      ...common,
      path: base,
      does: `Lists the records of ${which}.`,
      takes: { query: listQuery(recordShape) },
      gives: { 200: listOf(shownCdrSchema, recordShape) },
      answer: async (exchange) => {
        readCollectionQuery(exchange.request.url, recordShape);
        const asker = requesterOf(identityOf(exchange).session, isOwn);
        const { scope } = exchange.ws;
        return answerList(scope, await listRecords(scope, asker, listParams(exchange.request.url)));
      },
    },
    {
      ...common,
      path: `${base}/:inviteid`,
      does: 'Shows the record of an ended call.',
      takes: { query: itemQuery },
      gives: { 200: maskedOf(shownCdrSchema) },
      answer: async (exchange) => {
        const query = readItemQuery(exchange.request.url, recordShape);
        const asker = requesterOf(identityOf(exchange).session, isOwn);
        const record = await showRecord(exchange.ws.scope, asker, exchange.params['inviteid'] ?? '');
        return answerJson(applyItem(record, query));
      },
    },
  ];
}
