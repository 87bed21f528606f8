/**
 * Recordings of ended calls, as sound files. (documented; that both prefixes have all operations, the behaviour of DELETE
 * and the access roles chosen)
 */
import { z } from 'zod';
import { type CallRecording, fileNameOf, lengthMsOf } from '../../model/recording/recording.ts';
import { wavBytesOf, wavSizeOf } from '../../model/recording/sound.ts';
import { recordingEntry, recordingEntrySchema } from '../../model/shapes/call-shapes.ts';
import { deleteRecordings, findRecording, listRecordings } from '../../services/call-requests.ts';
import { requesterOf } from '../../services/mware-requests.ts';
import { type Access, attachmentQuery, type Exchange, identityOf, type RouteDefinition } from '../contract.ts';
import { answerFile, asksForAttachment, type ServedFile } from '../file-answers.ts';
import { missingSites } from '../lists.ts';
import { answerEmpty, answerJson } from '../responses.ts';

const wav = { media: ['audio/wav', 'application/octet-stream'], does: 'The sound' };

export const recordingRoutes: readonly RouteDefinition[] = [
  ...routesUnder('/rest/v1/journal/calls', false),
  ...routesUnder('/rest/v1/journal/calls_by_participation', true),
];

function routesUnder(prefix: string, isOwn: boolean): RouteDefinition[] {
  const all = `${prefix}/:inviteid/attachments`;
  const one = `${all}/:name`;
  const toRead: Access = { domain: 'child', to: isOwn ? 'own' : 'read' };
  const toChange: Access = { domain: 'child', to: 'change' };
  const subject = isOwn ? 'a call in which your own SIP users took part' : 'a call of the domain';
  const askerIn = (exchange: Exchange) => requesterOf(identityOf(exchange).session, isOwn);
  const remove = async (exchange: Exchange): Promise<Response> => {
    const which = { inviteid: paramIn(exchange, 'inviteid').toLowerCase(), name: exchange.params['name'] };
    return answerEmpty(missingSites(await deleteRecordings(exchange.ws.scope, askerIn(exchange), which)));
  };
  return [
    {
      method: 'GET',
      path: all,
      does: `Lists the recordings of ${subject} by the sites that have any; the list is empty until the call has ended.`,
      source: 'documented',
      access: toRead,
      gives: { 200: z.array(recordingEntrySchema) },
      answer: async (exchange) => {
        const inviteid = paramIn(exchange, 'inviteid').toLowerCase();
        const base = `${prefix}/${encodeURIComponent(inviteid)}/attachments`;
        const { sites, missing } = await listRecordings(exchange.ws.scope, askerIn(exchange), inviteid);
        const entries = sites.map(({ site, recordings }) => recordingEntry(site, recordings, base));
        return answerJson(entries, missingSites(missing));
      },
    },
    {
      method: 'GET',
      path: one,
      does: `Returns a recording of ${subject} as WAV, or a range of it; with \`attachment\`, the browser saves it.`,
      source: 'documented',
      access: toRead,
      takes: { query: attachmentQuery },
      gives: { 200: wav, 206: wav, 304: 'nothing' },
      refuses: [412, 416],
      answer: async (exchange) => {
        const isAttachment = asksForAttachment(exchange.request);
        const which = { inviteid: paramIn(exchange, 'inviteid').toLowerCase(), name: paramIn(exchange, 'name') };
        const recording = await findRecording(exchange.ws.scope, askerIn(exchange), which);
        return answerFile(exchange.request, servedFile(recording), { isAttachment });
      },
    },
    {
      method: 'DELETE',
      path: one,
      does: `Deletes a recording of ${subject} permanently.`,
      source: 'documented',
      access: toChange,
      gives: { 204: 'nothing' },
      answer: remove,
    },
    {
      method: 'DELETE',
      path: all,
      does: `Deletes all recordings of ${subject} permanently, at the reachable sites; \`X-Missing-Sites\` names the others.`,
      source: 'documented',
      access: toChange,
      gives: { 204: 'nothing' },
      answer: remove,
    },
  ];
}

function paramIn({ params }: Exchange, name: string): string {
  return params[name] ?? '';
}

/** The sound is generated while it is sent. */
function servedFile(recording: CallRecording): ServedFile {
  const { endts, heard } = recording;
  const name = fileNameOf(recording);
  return {
    name,
    size: wavSizeOf(recording),
    etag: `${name}.${lengthMsOf(recording)}.${heard.length}`,
    lastModifiedMs: endts,
    async *read(from, to) {
      yield* wavBytesOf(recording, from, to);
    },
  };
}
