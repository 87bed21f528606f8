/** Runs a service script for a request: what it gets, how long the request waits, and the answer. */
import { z } from 'zod';
import { FaultError, fault } from '../model/fault.ts';
import { parseJson } from '../model/json.ts';
import { limits } from '../model/limits.ts';
import type { ScriptRequester } from '../model/protocol/messages/script.ts';
import { runScript } from '../services/script-services.ts';
import type { Exchange, QueryParam } from './contract.ts';
import { paramsOf, readText } from './read-request.ts';
import { answerScript } from './script-answers.ts';

/** What a request addresses: the item, the script of which runs. */
export interface Addressed {
  readonly domain: string;
  readonly item: Readonly<Record<string, unknown>>;
  readonly script: string;
  /** Maximum wait, in seconds. */
  readonly waitSec: number;
  readonly user?: ScriptRequester['user'];
}

const timeoutWanted = 'expected an integer greater than zero';
const timeoutSchema = z.string().regex(/^0*[1-9]\d*$/, timeoutWanted);

export const timeoutParam: Omit<QueryParam, 'source'> = {
  name: 'timeout',
  schema: timeoutSchema,
  does: 'Seconds to wait for the script; can only shorten the configured wait',
};

export const scriptBody = { media: ['*/*'], does: 'JSON object, or anything else' };
export const scriptAnswer = { media: ['*/*'], does: 'Whatever the script makes of its variables' };

/** Runs the script of the item, waits for its end, and answers what its variables say. Throws `not_found` without a script. */
export async function answerByScript(
  exchange: Exchange,
  by: ScriptRequester['by'],
  { domain, item, script, waitSec, user }: Addressed,
): Promise<Response> {
  const { ws, request } = exchange;
  if (script === '') throw new FaultError(fault('not_found', 'there is no service script for this request'));
  const waitMs = Math.min(waitSec, timeoutIn(request) ?? waitSec) * 1_000;
  const params = await startParamsOf(exchange, item);
  const requester = { by, front: ws.scope.instance.address, ...(user !== undefined && { user }) };
  const { result } = await runScript(ws.scope, { domain, code: script, params, requester, waitMs });
  return answerScript(result);
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
  return [item, request.method, new URL(request.url).pathname, body, headers, sender, 'http', query];
}
