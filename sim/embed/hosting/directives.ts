/**
 * The header `X-Strowger` of a request at a front: this request alone is delayed, refused, cut off or answered by half, so that
 * one client sees a failing front and the others do not. (chosen)
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { answerError } from '../../../src/http/responses.ts';
import { jsonOr } from '../../../src/model/json.ts';
import { ConnectionDropped, type HeaderReader, type HttpHandler } from '../../../src/ports/http-server.ts';
import { faultText, readValue } from '../../input/read-value.ts';
import type { ServedFrontsOptions } from './served-fronts.ts';

const field = 'x-strowger';

const directiveSchema = z.strictObject({
  delayMs: z.number().min(0).max(600_000).optional().describe('The answer comes so much later'),
  fail: z.int().min(400).max(599).optional().describe('The request is refused with this status and has no effect'),
  drop: z
    .enum(['before', 'after'])
    .optional()
    .describe('The connection is dropped, before the request has an effect or after'),
  half: z.boolean().optional().describe('The connection is dropped in the middle of the answer'),
  drives: z
    .boolean()
    .optional()
    .describe('Whether virtual time passes while it is open: default true for a request, false for a web socket'),
  token: z.string().optional().describe('The token of the control interface, if it has one'),
});

interface DirectiveOptions {
  readonly wait: (ms: number) => Promise<void>;
  /** The token of the control interface. */
  readonly token: string | undefined;
}

/** The connection is dropped in the middle of an answer. `answer` has its head, `half` the first half of its body. */
export class HalfAnswered extends ConnectionDropped {
  readonly answer: Response;
  readonly half: Uint8Array<ArrayBuffer>;

  constructor(answer: Response, body: Uint8Array<ArrayBuffer>) {
    const half = body.subarray(0, Math.ceil(body.length / 2));
    super('X-Strowger', Buffer.concat([headOf(answer, body.length), half]));
    this.answer = answer;
    this.half = half;
  }
}

/** The handler of a front that obeys the header. */
export function withDirectives(handler: HttpHandler, options: DirectiveOptions): HttpHandler {
  return (request, sender, header, extendDeadline) => {
    const text = header(field);
    const answer = () => handler(request, sender, header, extendDeadline);
    return text === null ? answer() : obeyed(text, options, answer);
  };
}

/** For the fronts of a virtual world: they obey the header, also where it says whether time moves. */
export function directed(
  present: () => { wait(ms: number): Promise<void> },
  token: string | undefined,
): Required<Pick<ServedFrontsOptions, 'wrap' | 'drives'>> {
  const wait = (ms: number) => present().wait(ms);
  return { wrap: (handler) => withDirectives(handler, { wait, token }), drives: (header) => drives(header, token) };
}

async function obeyed(
  text: string,
  { wait, token }: DirectiveOptions,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  const read = readValue(directiveSchema, jsonOr(text, text));
  if (!read.isValid) return answerError(400, read.faults.map((each) => faultText(each, 'X-Strowger')).join('; '));
  const { delayMs, fail, drop, half, token: shown } = read.value;
  if (token !== undefined && !isSame(shown ?? '', token))
    return answerError(401, 'X-Strowger: expected "token", as in STROWGER_CONTROL_TOKEN');
  if (delayMs !== undefined) await wait(delayMs);
  if (drop === 'before') throw new ConnectionDropped('X-Strowger');
  if (fail !== undefined) return answerError(fail, 'X-Strowger: refused as the request asked for');
  const response = await answer();
  if (drop === 'after') throw new ConnectionDropped('X-Strowger');
  if (half === true) throw new HalfAnswered(response, new Uint8Array(await response.arrayBuffer()));
  return response;
}

/** Whether a request or a web socket says that virtual time passes while it is open; `undefined`: it does not say. */
function drives(header: HeaderReader, token: string | undefined): boolean | undefined {
  const text = header(field);
  const read = text === null ? undefined : readValue(directiveSchema, jsonOr(text, text));
  if (read?.isValid !== true) return undefined;
  const isAllowed = token === undefined || isSame(read.value.token ?? '', token);
  return isAllowed ? read.value.drives : undefined;
}

function isSame(shown: string, token: string): boolean {
  return timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', token, 'buffer'));
}

/** The head of an answer, as it is on the connection. */
function headOf({ status, statusText, headers }: Response, length: number): Buffer {
  const fields = [...headers].filter(([name]) => name !== 'content-length').map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`HTTP/1.1 ${status} ${statusText}`, ...fields, `content-length: ${length}`, '', ''].join('\r\n'));
}
