/** The HTTP client of a served cluster: `fetch`, with a time limit and a limit of the answer's size. */
import { limits } from '../model/limits.ts';
import type { ClientAnswer, ClientRequest, HttpClient } from '../ports/http-client.ts';

/** Codes and texts of errors before anything was sent. */
const unsent: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'bad port',
]);

class TooLarge extends Error {}

export const fetchClient: HttpClient = {
  send: async ({ method, url, headers, body, timeoutMs, isHalf = false }: ClientRequest): Promise<ClientAnswer> => {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const content = body === undefined ? {} : isHalf ? brokenBody(body) : { body };
      const response = await fetch(url, { method, headers, redirect: 'manual', signal, ...content });
      const text = await textOf(response);
      return { ok: true, status: response.status, headers: Object.fromEntries(response.headers), body: text };
    } catch (error) {
      return { ok: false, ...problemOf(error, timeoutMs) };
    }
  },
};

/** A body whose connection breaks after its first half. */
function brokenBody(body: string) {
  const bytes = Buffer.from(body);
  let isSent = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The first half leaves the process before the connection breaks.
        if (isSent) await new Promise((resolve) => setImmediate(resolve));
        if (isSent) return controller.error(new Error('it was to break in the middle of the body'));
        isSent = true;
        controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      },
    },
    { highWaterMark: 0 },
  );
  return { body: stream, duplex: 'half' as const };
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    const bytes = part as Uint8Array;
    size += bytes.byteLength;
    if (size > limits.scriptBodyBytes) throw new TooLarge(`its body has more than ${limits.scriptBodyBytes} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function problemOf(error: unknown, timeoutMs: number): { problem: string; isDefinite: boolean } {
  if (!(error instanceof Error)) return { problem: String(error), isDefinite: false };
  if (error.name === 'TimeoutError') return { problem: `no answer within ${timeoutMs / 1_000} s`, isDefinite: false };
  if (error instanceof TooLarge) return { problem: error.message, isDefinite: false };
  const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
  const reason = code ?? message;
  return { problem: `the connection failed: ${reason}`, isDefinite: unsent.has(reason) };
}
