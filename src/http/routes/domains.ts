/** Routes of domains, and of the states of SIP users. */
import { applyItem } from '../../model/collection/collection.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { domainSchema, sipUserStateSchema, sipUserStateShape } from '../../model/shapes/platform-shapes.ts';
import { type DomainRow, findDomain, listDomains } from '../../services/domains.ts';
import { dropRegistrations, listStates, showState } from '../../services/sip-users.ts';
import {
  type Exchange,
  identityOf,
  itemQuery,
  listOf,
  listQuery,
  maskedOf,
  type RouteDefinition,
} from '../contract.ts';
import { answerItems } from '../lists.ts';
import { readCollectionQuery, readItemQuery } from '../read-request.ts';
import { answerEmpty, answerJson } from '../responses.ts';

const domainsPath = '/rest/v1/domain/domains';
/** Default order: as in the topology. */
const shape: CollectionShape<DomainRow> = {
  item: domainSchema,
  defaultOrder: [],
  tieBreak: ['name'],
  isOrdered: true,
  isCountable: true,
};
const access = { domain: 'any', to: 'read' } as const;

export const domainRoutes: readonly RouteDefinition[] = [
  {
    method: 'GET',
    path: domainsPath,
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
    path: `${domainsPath}/:domain_id`,
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

const statesPath = '/rest/v1/uc/sipuser_states';

function idsIn(exchange: Exchange): [domain: string, id: string] {
  return [identityOf(exchange).session.domain, exchange.params['id'] ?? ''];
}

export const sipUserStateRoutes: readonly RouteDefinition[] = [
  {
    method: 'GET',
    path: statesPath,
    does: 'Lists the SIP users of the domain, `online` where a device is registered.',
    source: 'public',
    access: { domain: 'child', to: 'read' },
    takes: { query: listQuery(sipUserStateShape) },
    gives: { 200: listOf(sipUserStateSchema, sipUserStateShape) },
    answer: async (exchange) => {
      const query = readCollectionQuery(exchange.request.url, sipUserStateShape);
      const states = await listStates(exchange.ws.scope, identityOf(exchange).session.domain);
      return answerItems(exchange.ws.scope, states, { query, shape: sipUserStateShape });
    },
  },
  {
    method: 'GET',
    path: `${statesPath}/:id`,
    does: 'Shows whether a SIP user can be reached.',
    source: 'public',
    access: { domain: 'child', to: 'read' },
    takes: { query: itemQuery },
    gives: { 200: maskedOf(sipUserStateSchema) },
    answer: async (exchange) => {
      const query = readItemQuery(exchange.request.url, sipUserStateShape);
      return answerJson(applyItem(await showState(exchange.ws.scope, ...idsIn(exchange)), query));
    },
  },
  {
    method: 'DELETE',
    path: `${statesPath}/:id`,
    does: 'Drops the registrations of a SIP user; its devices may register again.',
    source: 'public',
    access: { domain: 'child', to: 'change' },
    gives: { 204: 'nothing' },
    answer: async (exchange) => {
      await dropRegistrations(exchange.ws.scope, ...idsIn(exchange));
      return answerEmpty();
    },
  },
];
