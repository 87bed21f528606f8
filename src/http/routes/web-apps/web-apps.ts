/** Routes of web applications: their files, and the archives that administrators store. */

import { tryDecodeURIComponent } from 'hono/utils/url';
import { withDeadline } from '../../../cluster/messaging/deadline.ts';
import type { RoleScope } from '../../../cluster/role.ts';
import { roleApp } from '../../../model/entities/role-app.ts';
import { roleAppArchive, type StoredArchive } from '../../../model/entities/stored-file.ts';
import { FaultError, fault, notFoundInCopy } from '../../../model/fault.ts';
import { limits } from '../../../model/limits.ts';
import { archiveSavedSchema, staticTypes } from '../../../model/shapes/file-shapes.ts';
import { timeOf } from '../../../model/time.ts';
import { showItem } from '../../../services/domain-data.ts';
import {
  archiveOf,
  type FoundInApp,
  findArchive,
  findInApp,
  removeArchive,
  saveArchive,
} from '../../../services/files/archives.ts';
import { readBytes } from '../../../services/files/files.ts';
import { fileAt, type MetadataFiles } from '../../../services/web-apps/user-interface.ts';
import { isOpenTo } from '../../../services/web-apps/web-apps.ts';
import { attachmentQuery, type Exchange, identityOf, type RouteDefinition } from '../../contract.ts';
import { answerFile, answerVersioned, asksForAttachment, expectedBy, refusePart } from '../../file-answers.ts';
import { ageHeader, answerEmpty, answerJson, HttpError } from '../../responses.ts';
import { atMost, bodyOf, filesIn, isForm, refuseTooLong } from '../../uploads.ts';

const base = '/app/:folder';
const file = { media: ['*/*'], does: 'The file, by the media type of its extension' };

export const appRoutes: readonly RouteDefinition[] = [
  {
    method: 'GET',
    path: base,
    does: 'Redirects to the page of a role application.',
    source: 'chosen',
    access: 'session',
    gives: { 302: 'nothing' },
    refuses: [403],
    answer: async (exchange) => {
      await foundIn(exchange, '');
      return toFolder(exchange);
    },
  },
  {
    method: 'GET',
    path: `${base}/*`,
    does: 'Returns a file of a role application; for a folder, its `index.html`.',
    source: 'documented',
    access: 'session',
    gives: { 200: file, 206: file, 302: 'nothing', 304: 'nothing' },
    refuses: [403, 412, 416],
    answer: async (exchange) => {
      const path = pathIn(exchange);
      const { file: found, isFolder, ageMs } = await foundIn(exchange, path);
      if (isFolder) return toFolder(exchange);
      if (found === undefined) throw noSuchFile(path === '' ? 'index.html' : path, ageMs);
      const { domain } = identityOf(exchange).session;
      const { content, offset, size, etag, modifiedMs } = found;
      const read = (from: number, to: number) => readBytes(exchange.ws.scope, domain, { content, offset, from, to });
      const name = path === '' || path.endsWith('/') ? 'index.html' : path;
      const served = { name, size, etag, lastModifiedMs: modifiedMs, read };
      return answerFile(exchange.request, served, { headers: ageHeader(ageMs) });
    },
  },
];

/** The file at a path, for a session that may use the application. */
async function foundIn(exchange: Exchange, path: string): Promise<FoundInApp> {
  const { session } = identityOf(exchange);
  const folder = exchange.params['folder'] ?? '';
  const found = await findInApp(exchange.ws.scope, session.domain, { folder, path });
  if (found.app === undefined) {
    const message = `no role application in the folder ${JSON.stringify(folder)}`;
    throw new FaultError(notFoundInCopy(message, found.ageMs));
  }
  if (isOpenTo(session, found.app.roles)) return found;
  throw new FaultError(fault('forbidden', `this application is for the access roles ${found.app.roles.join(', ')}`));
}

/** The path below the folder of the application, decoded. */
function pathIn({ request }: Exchange): string {
  const [, , , ...parts] = new URL(request.url).pathname.split('/');
  const path = parts.join('/');
  try {
    return decodeURIComponent(path);
  } catch {
    throw noSuchFile(path);
  }
}

function noSuchFile(path: string, ageMs?: number): FaultError {
  return new FaultError(notFoundInCopy(`no file ${JSON.stringify(path)} in this role application`, ageMs));
}

/** Relative links of a page resolve correctly only if its own address ends with a slash. */
function toFolder({ request }: Exchange): Response {
  const { pathname, search } = new URL(request.url);
  return new Response(null, { status: 302, headers: { location: `${pathname}/${search}`, 'content-length': '0' } });
}

const { path } = roleAppArchive;
const toRead = { domain: 'any', to: 'read' } as const;
const toChange = { domain: 'any', to: 'change' } as const;
const zip = { media: ['application/zip'], does: 'The archive' };
const zipType = /^application\/(zip|x-zip-compressed|octet-stream)\s*(;|$)/i;

export const archiveRoutes: readonly RouteDefinition[] = [
  {
    method: 'GET',
    path,
    does: 'Returns the archive of a role application, or a range of it.',
    source: 'chosen',
    access: toRead,
    takes: { query: attachmentQuery },
    gives: { 200: zip, 206: zip, 304: 'nothing' },
    refuses: [412, 416],
    answer: async (exchange) => {
      const scope = withDeadline(exchange.ws.scope);
      const isAttachment = asksForAttachment(exchange.request);
      const { folder, collection } = await appOf(exchange, scope);
      const { value: archive, ageMs } = await findArchive(scope, collection);
      if (archive === undefined) throw new FaultError(notFoundInCopy('this role application has no archive', ageMs));
      const { size, etag, content } = archive;
      const read = (from: number, to: number) =>
        readBytes(exchange.ws.scope, collection.domain, { content, offset: 0, from, to });
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
      const scope = withDeadline(exchange.ws.scope);
      const { collection } = await appOf(exchange, scope);
      await removeArchive(scope, collection, expectedBy(exchange.request));
      return answerEmpty();
    },
  },
];

function upload(method: 'POST' | 'PUT', does: string): RouteDefinition {
  const answer = async (exchange: Exchange) => {
    const { request, ws } = exchange;
    refuseOtherTypes(request);
    refusePart(request);
    const { collection } = await appOf(exchange, ws.scope);
    exchange.extendDeadline?.(limits.uploadTimeMs);
    const archive = await saveArchive(ws, collection, { chunks: archiveIn(request), expects: expectedBy(request) });
    return answerJson(shown(archive), { etag: `"${archive.etag}"` });
  };
  const takes = { body: { media: ['application/zip', 'multipart/form-data'], does: 'The archive' } };
  const contract = { takes, gives: { 200: archiveSavedSchema }, refuses: [412] };
  return { method, path, does, source: 'chosen', access: toChange, ...contract, answer };
}

/** The role application of the path. Throws `not_found` for an unknown one. */
async function appOf(exchange: Exchange, scope: RoleScope) {
  const { session } = identityOf(exchange);
  const { domain } = session;
  const id = (exchange.params['roleapp_id'] ?? '').toLowerCase();
  const { value } = await showItem(scope, { kind: roleApp.kind, domain }, { id, isAdmin: false });
  return { folder: String(value['folder']), collection: archiveOf(domain, id) };
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

export function staticRoutes(files: MetadataFiles): readonly RouteDefinition[] {
  return [
    {
      method: 'GET',
      path: '/static/*',
      does: 'Returns a page or an icon of a web application: a file below `static` in the metadata folder.',
      source: 'chosen',
      access: 'open',
      isTool: true,
      gives: {
        200: {
          media: [...staticTypes.values()].map(essence),
          does: 'The file',
        },
        304: 'nothing',
      },
      refuses: [404],
      answer: ({ request }) => {
        const path = tryDecodeURIComponent(new URL(request.url).pathname.slice(1));
        const text = fileAt(files, path);
        const type = staticTypes.get(/\.\w+$/.exec(path)?.[0] ?? '');
        if (text !== undefined && type !== undefined) return answerVersioned(request, type, text);
        throw new FaultError(fault('not_found', `no file ${JSON.stringify(path)} in the metadata folder`));
      },
    },
  ];
}

function essence(type: string): string {
  return type.split(';', 1)[0] ?? type;
}
