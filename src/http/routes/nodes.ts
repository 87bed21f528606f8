/** The nodes of the platform. (public) */

import { applyItem } from '../../model/collection/collection.ts';
import { parseItemQuery } from '../../model/collection/query.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { FaultError, fault } from '../../model/fault.ts';
import { nodeSchema } from '../../model/shapes/platform.ts';
import { findNode, listNodes, type NodeRow, terminateNode } from '../../services/nodes.ts';
import { answerEmpty, answerJson } from '../answering.ts';
import { itemQuery, listOf, listQuery, maskedOf } from '../contract.ts';
import { answerItems } from '../listing.ts';
import { paramsOf, readCollectionQuery } from '../reading.ts';
import type { Exchange, Route } from '../route.ts';

const collection = '/rest/v1/master/nodes';
/** Without an `order` the list is as the topology has it: a server, then the role nodes on it. */
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

export const nodeRoutes: readonly Route[] = [
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
      const query = parseItemQuery(paramsOf(exchange.request.url), shape);
      if (!query.ok) throw new FaultError(fault('invalid', query.fault.message));
      return answerJson(applyItem(await findNode(exchange.ws.scope, nameIn(exchange)), query.value));
    },
  },
  {
    method: 'DELETE',
    path: `${collection}/:name`,
    does: 'Terminates a server or a role node. A role node is started anew by its supervisor.',
    source: 'public',
    access: { domain: 'master', to: 'change' },
    gives: { 204: 'nothing' },
    answer: async (exchange) => {
      await terminateNode(exchange.ws.scope, nameIn(exchange));
      return answerEmpty();
    },
  },
];
