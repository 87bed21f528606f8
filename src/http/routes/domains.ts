/** The domains, for reading: their ids lead to their users. (chosen, but for the path) */

import { applyItem } from '../../model/collection/collection.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { domainSchema } from '../../model/shapes/platform.ts';
import { type DomainRow, findDomain, listDomains } from '../../services/domains.ts';
import { answerJson } from '../answering.ts';
import { itemQuery, listOf, listQuery, maskedOf } from '../contract.ts';
import { answerItems } from '../listing.ts';
import { readCollectionQuery, readItemQuery } from '../reading.ts';
import { identityOf, type Route } from '../route.ts';

const collection = '/rest/v1/domain/domains';
/** Without an `order` the list is as the topology has it. */
const shape: CollectionShape<DomainRow> = {
  item: domainSchema,
  defaultOrder: [],
  tieBreak: ['name'],
  isOrdered: true,
  isCountable: true,
};
const access = { domain: 'any', to: 'read' } as const;

export const domainRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: collection,
    does: "Lists the session's domain and, for an administrator, those below it.",
    source: 'chosen',
    access,
    takes: { query: listQuery(shape) },
    gives: { 200: listOf(domainSchema, shape) },
    answer: (exchange) => {
      const query = readCollectionQuery(exchange.request.url, shape);
      const rows = listDomains(exchange.ws.scope.map, identityOf(exchange).session);
      return answerItems(exchange.ws.scope, rows, { query, shape });
    },
  },
  {
    method: 'GET',
    path: `${collection}/:domain_id`,
    does: 'Shows a domain, by its id or its name.',
    source: 'chosen',
    access,
    takes: { query: itemQuery },
    gives: { 200: maskedOf(domainSchema) },
    answer: (exchange) => {
      const query = readItemQuery(exchange.request.url, shape);
      const { session } = identityOf(exchange);
      return answerJson(
        applyItem(findDomain(exchange.ws.scope.map, session, exchange.params['domain_id'] ?? ''), query),
      );
    },
  },
];
