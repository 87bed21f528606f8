/** The journal: records of calls that are over. (paths by the documented ones of recordings, all else chosen) */
import { applyItem } from '../../model/collection/collection.ts';
import { shownCdrSchema } from '../../model/protocol/callstore.ts';
import { recordShape } from '../../model/shapes/dialog.ts';
import { listRecords, showRecord } from '../../services/journal.ts';
import { askerOf } from '../../services/mware.ts';
import { answerJson } from '../answering.ts';
import { itemQuery, listOf, listQuery, maskedOf } from '../contract.ts';
import { answerList, listParams } from '../listing.ts';
import { readCollectionQuery, readItemQuery } from '../reading.ts';
import { identityOf, type Route } from '../route.ts';

export const journalRoutes: readonly Route[] = [
  ...recordRoutes('/rest/v1/journal/calls', false),
  ...recordRoutes('/rest/v1/journal/calls_by_participation', true),
];

function recordRoutes(base: string, isOwn: boolean): Route[] {
  const common = { method: 'GET', source: 'chosen', access: { domain: 'any', to: isOwn ? 'own' : 'read' } } as const;
  const which = isOwn
    ? 'calls that are over in which your own SIP users took part'
    : 'calls of the domain that are over';
  return [
    {
      ...common,
      path: base,
      does: `Lists the records of ${which}.`,
      takes: { query: listQuery(recordShape) },
      gives: { 200: listOf(shownCdrSchema, recordShape) },
      answer: async (exchange) => {
        readCollectionQuery(exchange.request.url, recordShape);
        const asker = askerOf(identityOf(exchange).session, isOwn);
        const { scope } = exchange.ws;
        return answerList(scope, await listRecords(scope, asker, listParams(exchange.request.url)));
      },
    },
    {
      ...common,
      path: `${base}/:inviteid`,
      does: 'Shows the record of a call that is over.',
      takes: { query: itemQuery },
      gives: { 200: maskedOf(shownCdrSchema) },
      answer: async (exchange) => {
        const query = readItemQuery(exchange.request.url, recordShape);
        const asker = askerOf(identityOf(exchange).session, isOwn);
        const record = await showRecord(exchange.ws.scope, asker, exchange.params['inviteid'] ?? '');
        return answerJson(applyItem(record, query));
      },
    },
  ];
}
