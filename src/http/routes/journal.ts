/** Routes of the journal: records of ended calls, and runs of service scripts. */
import { applyItem } from '../../model/collection/collection.ts';
import { shownCdrSchema } from '../../model/protocol/messages/callstore.ts';
import { recordShape } from '../../model/shapes/call-shapes.ts';
import { scriptRunDetailSchema, scriptRunSchema, scriptRunShape } from '../../model/shapes/script-shapes.ts';
import { listRecords, showRecord } from '../../services/call-requests.ts';
import { requesterOf } from '../../services/mware-requests.ts';
import { listRuns, showRun } from '../../services/script-services.ts';
import { identityOf, itemQuery, listOf, listQuery, maskedOf, type RouteDefinition } from '../contract.ts';
import { answerItems, answerList, listParams, missingSites } from '../lists.ts';
import { readCollectionQuery, readItemQuery } from '../read-request.ts';
import { answerJson } from '../responses.ts';

/** (Paths modelled on the documented ones of recordings; all else chosen) */
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
      takes: { query: itemQuery },
      gives: { 200: maskedOf(scriptRunDetailSchema) },
      answer: async (exchange) => {
        const query = readItemQuery(exchange.request.url, scriptRunShape);
        const id = (exchange.params['id'] ?? '').toLowerCase();
        return answerJson(applyItem(await showRun(exchange.ws.scope, identityOf(exchange).session.domain, id), query));
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
        const record = await showRecord(exchange.ws.scope, asker, (exchange.params['inviteid'] ?? '').toLowerCase());
        return answerJson(applyItem(record, query));
      },
    },
  ];
}
