/** The handler of incoming requests: runs the service script of a role application or of an integration channel. */
import type { ItemOf } from '../../../model/entities/entity.ts';
import type { roleApp } from '../../../model/entities/role-app.ts';
import { FaultError, fault } from '../../../model/fault.ts';
import { findSession, refuseBanned } from '../../../services/logins.ts';
import { channelWaitOf, findChannel, findRoleApp } from '../../../services/script-services.ts';
import type { MetadataFiles } from '../../../services/web-apps/user-interface.ts';
import { isOpenTo } from '../../../services/web-apps/web-apps.ts';
import { shownId } from '../../authorization.ts';
import type { Exchange, RouteDefinition } from '../../contract.ts';
import { HttpError } from '../../responses.ts';
import { type Addressed, answerByScript, scriptAnswer, scriptBody, timeoutParam } from '../../script-requests.ts';

export function execRoutes(metadataFiles: MetadataFiles): readonly RouteDefinition[] {
  return (['POST', 'GET'] as const).map((method) => ({
    method,
    path: '/exec',
    does: `Runs the service script of the role application in \`Referer\`, with a session, or of the integration channel whose \`token_local\` is the bearer token. The answer is what its variables \`response_code\`, \`response_headers\` and \`response_content\` say.${method === 'GET' ? ' Without a body.' : ''}`,
    source: method === 'POST' ? 'documented' : 'public',
    access: 'open',
    refusesHead: true,
    takes: {
      query: [{ ...timeoutParam, source: 'documented' }],
      ...(method === 'POST' && {
        body: scriptBody,
        isBodyOptional: true,
      }),
    },
    gives: { 200: scriptAnswer },
    refuses: [401, 403, 404, 413, 500],
    answer: (exchange) => answerExec(exchange, metadataFiles),
  }));
}

async function answerExec(exchange: Exchange, metadataFiles: MetadataFiles): Promise<Response> {
  const addressed = await addressedBy(exchange, metadataFiles);
  if (exchange.request.method === 'HEAD')
    throw new HttpError(405, 'HEAD is not a method of this path', { allow: 'GET, POST, OPTIONS' });
  return answerByScript(exchange, 'exec', addressed);
}

/** Authorizes the request. Everything else about it is looked at afterwards. */
async function addressedBy(exchange: Exchange, metadataFiles: MetadataFiles): Promise<Addressed> {
  const { ws, sender, refuseForged, header } = exchange;
  const shown = shownId(header);
  if (shown === undefined) {
    throw new FaultError(fault('unauthorized', 'expected a session, or the token of an integration channel'));
  }
  if (shown.by === 'cookie') refuseForged();
  const { session, isCertain } = await findSession(ws, sender, shown.id);
  if (session !== undefined) {
    const folder = folderIn(header('referer'));
    const item = (await findRoleApp(ws.scope, session, folder)) as ItemOf<typeof roleApp>;
    if (!isOpenTo(session, item.roles)) {
      throw new FaultError(fault('forbidden', `this application is for the access roles ${item.roles.join(', ')}`));
    }
    const { user } = session;
    const { svcscriptcode: script, opts } = item;
    const requester = { id: user.id, isAdmin: user.roles.includes('admin') };
    return { domain: session.domain, item, script, waitSec: opts.recv_timeout, user: requester };
  }
  const found = shown.by === 'token' ? await findChannel(ws.scope, shown.id) : undefined;
  refuseBanned(ws, sender);
  if (found === undefined) {
    if (isCertain) ws.intruders.failed(sender);
    throw new FaultError(fault('unauthorized', 'no session with this id, and no integration channel with this token'));
  }
  const { domain, channel } = found;
  const waitSec = channelWaitOf(ws.scope, metadataFiles, found);
  return { domain, item: channel, script: channel.svcscriptcode, waitSec };
}

/** The folder of the application whose page has sent the request. */
function folderIn(referer: string | null): string {
  const path = referer === null || !URL.canParse(referer) ? '' : new URL(referer).pathname;
  const folder = /^\/app\/([^/]+)/.exec(path)?.[1];
  if (folder !== undefined) return decoded(folder);
  throw new FaultError(
    fault(
      'not_found',
      `referer: expected the address of a role application, such as http://host/app/<folder>, got ${JSON.stringify(referer ?? '')}`,
    ),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
