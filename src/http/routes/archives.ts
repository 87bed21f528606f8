/** Archives of role applications, at the link that each of those has. (path documented, all else chosen) */
import { roleApp } from '../../model/entities/role-app.ts';
import { roleAppArchive, type StoredArchive } from '../../model/entities/stored-file.ts';
import { FaultError, fault } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { archiveSavedSchema } from '../../model/shapes/file.ts';
import { timeOf } from '../../model/time.ts';
import { archiveOf, findArchive, removeArchive, saveArchive } from '../../services/archives.ts';
import { showItem } from '../../services/entities.ts';
import { readBytes } from '../../services/files.ts';
import { answerEmpty, answerJson, HttpError } from '../answering.ts';
import { attachmentQuery } from '../contract.ts';
import { ageHeader } from '../listing.ts';
import { expectedBy } from '../preconditions.ts';
import { type Exchange, identityOf, type Route } from '../route.ts';
import { answerFile, asksForAttachment } from '../serving.ts';
import { atMost, bodyOf, filesIn, isForm, refuseTooLong } from '../uploading.ts';

const { path } = roleAppArchive;
const toRead = { domain: 'any', to: 'read' } as const;
const toChange = { domain: 'any', to: 'change' } as const;
const zip = { media: ['application/zip'], does: 'The archive' };
const zipType = /^application\/(zip|x-zip-compressed|octet-stream)\s*(;|$)/i;

export const archiveRoutes: readonly Route[] = [
  {
    method: 'GET',
    path,
    does: 'Gives the archive of a role application, whole or a range of it.',
    source: 'chosen',
    access: toRead,
    takes: { query: attachmentQuery },
    gives: { 200: zip, 206: zip, 304: 'nothing' },
    refuses: [412, 416],
    answer: async (exchange) => {
      const { scope } = exchange.ws;
      const isAttachment = asksForAttachment(exchange.request);
      const { folder, place } = await appOf(exchange);
      const { value: archive, ageMs } = await findArchive(scope, place);
      if (archive === undefined) throw new FaultError(fault('not_found', 'this role application has no archive'));
      const { size, etag, content } = archive;
      const read = (from: number, to: number) => readBytes(scope, place.domain, { content, offset: 0, from, to });
      const served = { name: `${folder}.zip`, size, etag, lastModifiedMs: timeOf(archive.ext.lwt), read };
      return answerFile(exchange.request, served, { isAttachment, headers: ageHeader(ageMs) });
    },
  },
  upload(
    'POST',
    'Uploads the archive (zip) of a role application, raw or as the first file of a `multipart/form-data`.',
  ),
  upload('PUT', 'Uploads the archive of a role application, as POST does.'),
  {
    method: 'DELETE',
    path,
    does: 'Removes the archive of a role application, with its files.',
    source: 'chosen',
    access: toChange,
    gives: { 204: 'nothing' },
    refuses: [412],
    answer: async (exchange) => {
      const { place } = await appOf(exchange);
      await removeArchive(exchange.ws.scope, place, expectedBy(exchange.request));
      return answerEmpty();
    },
  },
];

function upload(method: 'POST' | 'PUT', does: string): Route {
  const answer = async (exchange: Exchange) => {
    const { request, ws } = exchange;
    refuseOtherTypes(request);
    const { place } = await appOf(exchange);
    exchange.allowMs?.(limits.uploadTimeMs);
    const archive = await saveArchive(ws.scope, place, { chunks: archiveIn(request), expects: expectedBy(request) });
    return answerJson(shown(archive), { etag: `"${archive.etag}"` });
  };
  const takes = { body: { media: ['application/zip', 'multipart/form-data'], does: 'The archive' } };
  const contract = { takes, gives: { 200: archiveSavedSchema }, refuses: [412] };
  return { method, path, does, source: 'chosen', access: toChange, ...contract, answer };
}

/** The role application of the path. Throws `not_found` where there is none. */
async function appOf(exchange: Exchange) {
  const { session } = identityOf(exchange);
  const { domain } = session;
  const id = (exchange.params['roleapp_id'] ?? '').toLowerCase();
  const { value } = await showItem(exchange.ws.scope, { kind: roleApp.kind, domain }, { id, isAdmin: false });
  return { folder: String(value['folder']), place: archiveOf(domain, id) };
}

function refuseOtherTypes(request: Request): void {
  const type = request.headers.get('content-type');
  if (type === null || isForm(request) || zipType.test(type)) return;
  throw new HttpError(415, `content-type: expected application/zip or multipart/form-data, got ${type}`);
}

async function* archiveIn(request: Request): AsyncGenerator<Uint8Array> {
  if (!isForm(request)) {
    refuseTooLong(request, limits.archiveBytes);
    return yield* atMost(bodyOf(request), limits.archiveBytes, 'archive');
  }
  for await (const { chunks } of filesIn(request)) return yield* atMost(chunks, limits.archiveBytes, 'archive');
  throw new HttpError(400, 'body: expected a part with a file name');
}

function shown({ size, files, last_modified }: StoredArchive) {
  return { size, files: files.length, last_modified };
}
