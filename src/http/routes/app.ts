/** The files of role applications, for those to whom they are open. (address documented, all else chosen) */
import { FaultError, fault } from '../../model/fault.ts';
import { type FoundInApp, findInApp } from '../../services/archives.ts';
import { readBytes } from '../../services/files.ts';
import { isOpenTo } from '../../services/web-apps.ts';
import { ageHeader } from '../listing.ts';
import { type Exchange, identityOf, type Route } from '../route.ts';
import { answerFile } from '../serving.ts';

const base = '/app/:folder';
const file = { media: ['*/*'], does: 'The file, by the media type of its extension' };

export const appRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: base,
    does: 'Leads to the page of a role application.',
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
    does: 'Gives a file of a role application; of a folder, its `index.html`.',
    source: 'documented',
    access: 'session',
    gives: { 200: file, 206: file, 302: 'nothing', 304: 'nothing' },
    refuses: [403, 412, 416],
    answer: async (exchange) => {
      const path = pathIn(exchange);
      const { file: found, isFolder, ageMs } = await foundIn(exchange, path);
      if (isFolder) return toFolder(exchange);
      if (found === undefined) throw noSuchFile(path === '' ? 'index.html' : path);
      const { domain } = identityOf(exchange).session;
      const { content, offset, size, etag, modifiedMs } = found;
      const read = (from: number, to: number) => readBytes(exchange.ws.scope, domain, { content, offset, from, to });
      const name = path === '' || path.endsWith('/') ? 'index.html' : path;
      const served = { name, size, etag, lastModifiedMs: modifiedMs, read };
      return answerFile(exchange.request, served, { headers: ageHeader(ageMs) });
    },
  },
];

/** What there is at a path, for who may use the application. */
async function foundIn(exchange: Exchange, path: string): Promise<FoundInApp> {
  const { session } = identityOf(exchange);
  const folder = exchange.params['folder'] ?? '';
  const found = await findInApp(exchange.ws.scope, session.domain, { folder, path });
  if (found.app === undefined) {
    throw new FaultError(fault('not_found', `no role application in the folder ${JSON.stringify(folder)}`));
  }
  if (isOpenTo(session, found.app.roles)) return found;
  throw new FaultError(fault('forbidden', `this application is for the access roles ${found.app.roles.join(', ')}`));
}

/** The path behind the folder of the application, decoded. */
function pathIn({ request }: Exchange): string {
  const [, , , ...parts] = new URL(request.url).pathname.split('/');
  const path = parts.join('/');
  try {
    return decodeURIComponent(path);
  } catch {
    throw noSuchFile(path);
  }
}

function noSuchFile(path: string): FaultError {
  return new FaultError(fault('not_found', `no file ${JSON.stringify(path)} in this role application`));
}

/** What a page names is beside it only where its own address ends with a slash. */
function toFolder({ request }: Exchange): Response {
  const { pathname, search } = new URL(request.url);
  return new Response(null, { status: 302, headers: { location: `${pathname}/${search}`, 'content-length': '0' } });
}
