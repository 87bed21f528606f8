/** Routes of nodes, and of the health of a front. */
import { z } from 'zod';
import { applyItem } from '../../model/collection/collection.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { logLevelSchema, nodeSchema } from '../../model/shapes/platform-shapes.ts';
import { findNode, listNodes, type NodeRow, setLogLevel, terminateNode } from '../../services/node-list.ts';
import { type Exchange, itemQuery, listOf, listQuery, maskedOf, type RouteDefinition } from '../contract.ts';
import { answerItems } from '../lists.ts';
import { readBody, readCollectionQuery, readItemQuery } from '../read-request.ts';
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
