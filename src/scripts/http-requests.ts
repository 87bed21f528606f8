/** The component HTTP request: time limit, retries with jitter, and the signature of Standard Webhooks. */

import { createHmac } from 'node:crypto';
import type { RoleScope } from '../cluster/role.ts';
import { jsonOr } from '../model/json.ts';
import { namedUuid } from '../model/uuid.ts';
import { passed } from '../ports/clock.ts';
import type { ClientAnswer, ClientRequest, Delivery, HttpClient } from '../ports/http-client.ts';
import { type EffectCall, type EffectHandler, type EffectResult, effectFailure, invalidEffect } from './effects.ts';

/** The first wait before another attempt; it doubles up to the longest one. Each is varied by half of it. */
const [firstWaitMs, longestWaitMs] = [1_000, 60_000];

export function httpHandler({ clock, random }: Pick<RoleScope, 'clock' | 'random'>, client: HttpClient): EffectHandler {
  const wait = (ms: number) => passed(clock, ms);
  return async (call, isWanted): Promise<EffectResult> => {
    const request = requestOf(call);
    if (typeof request === 'string') return invalidEffect(request);
    const delivery = deliveryOf(call, request);
    const retries = Number(call.values['retries']);
    for (let attempt = 1; ; attempt += 1) {
      const headers = { ...request.headers, ...delivery.signature(clock.now()) };
      const answer = await client.send({ ...request, headers }, delivery);
      if (attempt > retries || !isRetried(answer)) return resultOf(answer, attempt);
      const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
      await wait(waitMs * (0.5 + random.stream('jitter').float()));
      if (!isWanted()) return resultOf(answer, attempt);
    }
  };
}

function deliveryOf(call: EffectCall, { body = '' }: ClientRequest): Delivery {
  const { key, component, values } = call;
  const { domain, id: run, code: script } = call.run;
  const isRepeatable = values['unknown'] === 'repeat';
  return { key, domain, run, script, component, isRepeatable, signature: (nowMs) => signatureOf(call, body, nowMs) };
}

/** No answer, too many requests, or an error of the server. */
function isRetried(answer: ClientAnswer): boolean {
  return !answer.ok || answer.status === 429 || answer.status >= 500;
}

function resultOf(answer: ClientAnswer, attempts: number): EffectResult {
  if (!answer.ok) {
    const code = answer.isDefinite ? 'unreachable' : 'timeout';
    return effectFailure({ problem: answer.problem, code, attempts });
  }
  const { status, headers, body } = answer;
  return { branch: 'next', value: { status, headers, body: contentOf(headers, body), attempts } };
}

/** JSON is parsed. */
function contentOf(headers: Readonly<Record<string, string>>, body: string): unknown {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return body;
  return jsonOr(body, body);
}

function requestOf({ values, key }: EffectCall): ClientRequest | string {
  const { method, url, headers, body, timeout } = values;
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    return `url: expected an address that begins with http:// or https://, got ${JSON.stringify(url)}`;
  }
  const text = body === null || body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  if (method === 'GET' && text !== undefined) return 'body: expected none for GET';
  const type = text === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  const fields: Record<string, string> = { ...type, 'idempotency-key': key };
  for (const [name, value] of Object.entries(headers as Record<string, unknown>))
    fields[name.toLowerCase()] = String(value);
  const content = text === undefined ? {} : { body: text };
  return { method: String(method), url, headers: fields, timeoutMs: Number(timeout) * 1_000, ...content };
}

/**
 * The headers of Standard Webhooks, for a component with a secret: the id is the same for each attempt. A secret of the form
 * `whsec_…` is base64.
 */
function signatureOf({ values, key }: EffectCall, body: string, nowMs: number): Record<string, string> {
  const { secret } = values;
  if (typeof secret !== 'string' || secret === '') return {};
  const bytes = secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret);
  const id = `msg_${namedUuid(key)}`;
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
