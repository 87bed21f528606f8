/** The handler of incoming requests: runs the service script of a role application or of an integration channel. */
import { z } from 'zod';
import type { ItemOf } from '../../model/entities/entity.ts';
import type { roleApp } from '../../model/entities/role-app.ts';
import { FaultError, fault } from '../../model/fault.ts';
import { parseJson } from '../../model/json.ts';
import { limits } from '../../model/limits.ts';
import type { ScriptRequester } from '../../model/protocol/script.ts';
import { channelWaitOf, findChannel, findRoleApp, runScript } from '../../services/scripts.ts';
import { findSession, refuseBanned } from '../../services/sessions.ts';
import type { MetadataFiles } from '../../services/user-interface.ts';
import { isOpenTo } from '../../services/web-apps.ts';
import { shownId } from '../authorization.ts';
import type { Exchange, RouteDefinition } from '../contract.ts';
import { paramsOf, readText } from '../requests.ts';
import { HttpError } from '../responses.ts';
import { answerScript } from '../script-answers.ts';

/** What a request addresses: the item, the script of which runs. */
interface Addressed {
  readonly domain: string;
  readonly item: Readonly<Record<string, unknown>>;
  readonly script: string;
  /** Maximum wait, in seconds. */
  readonly waitSec: number;
  readonly user?: ScriptRequester['user'];
}

const timeoutWanted = 'expected an integer greater than zero';
const timeoutSchema = z.string().regex(/^0*[1-9]\d{0,8}$/, timeoutWanted);
const bytes = { media: ['*/*'], does: 'Whatever the script makes of its variables' };

export function execRoutes(metadataFiles: MetadataFiles): readonly RouteDefinition[] {
  return (['POST', 'GET'] as const).map((method) => ({
    method,
    path: '/exec',
    does: `Runs the service script of the role application in \`Referer\`, with a session, or of the integration channel whose \`token_local\` is the bearer token. The answer is what its variables \`response_code\`, \`response_headers\` and \`response_content\` say.${method === 'GET' ? ' Without a body.' : ''}`,
    source: method === 'POST' ? 'documented' : 'public',
    access: 'open',
    takes: {
      query: [
        {
          name: 'timeout',
          schema: timeoutSchema,
          does: 'Seconds to wait for the script; can only shorten the configured wait',
          source: 'documented',
        },
      ],
      ...(method === 'POST' && {
        body: { media: ['*/*'], does: 'JSON object, or anything else' },
        isBodyOptional: true,
      }),
    },
    gives: { 200: bytes },
    refuses: [401, 403, 404, 413, 500],
    answer: (exchange) => answerExec(exchange, metadataFiles),
  }));
}

async function answerExec(exchange: Exchange, metadataFiles: MetadataFiles): Promise<Response> {
  const { ws, request } = exchange;
  const { domain, item, script, waitSec, user } = await addressedBy(exchange, metadataFiles);
  if (request.method === 'HEAD')
    throw new HttpError(405, 'HEAD is not a method of this path', { allow: 'GET, POST, OPTIONS' });
  if (script === '') throw new FaultError(fault('not_found', 'there is no service script for this request'));
  const waitMs = Math.min(waitSec, timeoutIn(request) ?? waitSec) * 1_000;
  const params = await startParamsOf(exchange, item);
  const requester = { by: 'exec', front: ws.scope.instance.address, ...(user !== undefined && { user }) } as const;
  const { result } = await runScript(ws.scope, { domain, code: script, params, requester, waitMs });
  return answerScript(result);
}

/** Authorizes the request. Everything else about it is looked at afterwards. */
async function addressedBy(exchange: Exchange, metadataFiles: MetadataFiles): Promise<Addressed> {
  const { ws, sender, refuseForged, header } = exchange;
  const shown = shownId(header);
  if (shown === undefined) {
    throw new FaultError(fault('unauthorized', 'expected a session, or the token of an integration channel'));
  }
  if (shown.by === 'cookie') refuseForged();
  const session = await findSession(ws, sender, shown.id);
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
    ws.intruders.failed(sender);
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

function timeoutIn({ url }: Request): number | undefined {
  const values = paramsOf(url).getAll('timeout');
  const [text] = values;
  if (text === undefined) return undefined;
  if (values.length > 1) throw new FaultError(fault('invalid', 'timeout: given twice'));
  if (timeoutSchema.safeParse(text).success) return Number(text);
  throw new FaultError(fault('invalid', `timeout: ${timeoutWanted}, got ${JSON.stringify(text)}`));
}

/**
 * The start parameters 1 to 7 (documented), and the parameters of the query as an object (8, chosen). The headers are objects
 * of `name` and `value`, without the ones that carry a session. (chosen)
 */
async function startParamsOf({ request, sender }: Exchange, item: Addressed['item']): Promise<unknown[]> {
  const text = request.method === 'GET' ? '{}' : await readText(request, limits.scriptBodyBytes);
  const read = parseJson(text, limits.jsonDepth);
  const body = read.ok && typeof read.value === 'object' && read.value !== null ? read.value : text;
  const headers = [...request.headers]
    .filter(([name]) => name !== 'authorization' && name !== 'cookie')
    .map(([name, value]) => ({ name, value }));
  const query = Object.fromEntries(paramsOf(request.url));
  return [item, request.method, '/exec', body, headers, sender, 'http', query];
}
