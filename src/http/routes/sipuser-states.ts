/** Which SIP users of the domain can be reached. (public) */

import { applyItem } from '../../model/collection/collection.ts';
import { sipUserStateSchema, sipUserStateShape } from '../../model/shapes/sipuser-state.ts';
import { dropRegistrations, listStates, showState } from '../../services/sipusers.ts';
import { answerEmpty, answerJson } from '../answering.ts';
import { itemQuery, listOf, listQuery, maskedOf } from '../contract.ts';
import { answerItems } from '../listing.ts';
import { readCollectionQuery, readItemQuery } from '../reading.ts';
import { type Exchange, identityOf, type Route } from '../route.ts';

const collection = '/rest/v1/uc/sipuser_states';

function placeIn(exchange: Exchange): [domain: string, id: string] {
  return [identityOf(exchange).session.domain, exchange.params['id'] ?? ''];
}

export const sipUserStateRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: collection,
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
    path: `${collection}/:id`,
    does: 'Shows whether a SIP user can be reached.',
    source: 'public',
    access: { domain: 'child', to: 'read' },
    takes: { query: itemQuery },
    gives: { 200: maskedOf(sipUserStateSchema) },
    answer: async (exchange) => {
      const query = readItemQuery(exchange.request.url, sipUserStateShape);
      return answerJson(applyItem(await showState(exchange.ws.scope, ...placeIn(exchange)), query));
    },
  },
  {
    method: 'DELETE',
    path: `${collection}/:id`,
    does: 'Drops the registrations of a SIP user; its devices may register again.',
    source: 'public',
    access: { domain: 'child', to: 'change' },
    gives: { 204: 'nothing' },
    answer: async (exchange) => {
      await dropRegistrations(exchange.ws.scope, ...placeIn(exchange));
      return answerEmpty();
    },
  },
];
