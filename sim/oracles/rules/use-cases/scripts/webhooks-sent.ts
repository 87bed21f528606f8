/** Scripts send webhooks to another system, which knows by their headers who has sent them, and which are the same. */
import { createHmac } from 'node:crypto';
import type { StubAnswer } from '../../../../outside/http/stub-answer.ts';
import type { NotedRequest } from '../../../questions.ts';
import { isSame, longTextOf } from '../calls/call-judges.ts';
import type { Item, Judge, UseCase } from '../kit/use-case.ts';
import { useCaseOf } from '../kit/use-case.ts';
import { serve } from './served-script.ts';

const code = 'webhooks-sent';
const address = `https://${code}.test/`;
/** As a text, and as bytes in base64. (Standard Webhooks) */
const secret = 'a secret of webhooks-sent';
const binarySecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** Longer than all attempts. */
const recvTimeoutSec = 60;
/** The wait before the first repeated attempt, and before the second; each is varied by half. */
const waitsMs = [1_000, 2_000];
/** From the time in a signature, in seconds, to the arrival. */
const latestMs = 1_500;
const headers = { 'x-own': "'of ' + startparam(4).n" };
const both = (next: string) => ({ next, failed: next, indefinite: 'wrong' });

function request(name: string, fields: Item): Item {
  return { name, type: 'http', url: `'${address}${name}'`, result: name, ...fields };
}

/** It sends one webhook as often as `startparam(4).times` says, then one to each of several addresses, if `isWhole`. */
const components: readonly Item[] = [
  { name: 'begin', type: 'start', next: 'count' },
  { name: 'count', type: 'assign', set: { sent: '0' }, next: 'order' },
  request('order', {
    ...{ method: 'POST', body: '{ n: startparam(4).n, sent }', headers, secret: `'${secret}'`, retries: 2 },
    ...both('next'),
  }),
  { name: 'next', type: 'assign', set: { sent: 'sent + 1' }, next: 'again' },
  { name: 'again', type: 'branch', condition: 'sent < startparam(4).times', yes: 'order', no: 'whole' },
  { name: 'whole', type: 'branch', condition: 'startparam(4).isWhole', yes: 'text', no: 'say' },
  request('text', { method: 'PUT', body: "'a text, \u00e4'", secret: `'${binarySecret}'`, ...both('plain') }),
  request('plain', { method: 'GET', ...both('lost') }),
  request('lost', { method: 'DELETE', retries: 1, ...both('busy') }),
  request('busy', { method: 'POST', body: '[1]', retries: 1, ...both('down') }),
  request('down', { method: 'POST', body: '7', retries: 1, ...both('mute') }),
  request('mute', { method: 'POST', timeout: 1, ...both('gone') }),
  request('gone', { method: 'POST', retries: 1, ...both('say') }),
  {
    name: 'say',
    type: 'assign',
    set: {
      response_content: 'startparam(4).isWhole ? { order, text, plain, lost, busy, down, mute, gone } : { order }',
    },
  },
  { name: 'wrong', type: 'assign', set: { response_code: '500' } },
];

/** What each address answers, in turns; the last one again and again. */
const json = { 'content-type': 'application/json' };
const answers: Readonly<Record<string, readonly StubAnswer[]>> = {
  order: [{ status: 503 }, 'reset', { status: 200, headers: json, body: '{"got":1}' }],
  text: [{ status: 201, headers: { 'content-type': 'text/plain' }, body: '{"got":1}' }],
  plain: [{ status: 302, headers: { location: 'https://elsewhere.test/' } }],
  lost: [{ status: 404, body: 'none' }],
  busy: [{ status: 429 }, { status: 204 }],
  down: [
    { status: 500, body: 'a' },
    { status: 502, body: 'b' },
  ],
  mute: ['silent'],
  gone: ['reset'],
};

export const webhooksSent = useCaseOf({
  name: code,
  rule: 'In a quiescent cluster a script sends its HTTP requests as it says, each under an idempotency key of its own, and with a secret under a webhook id, a time and a signature that the receiver can verify: the id and the key are those of one effect, the same for each of its attempts, and others for each further execution, component and run, wherever that runs. An attempt is repeated without an answer and after 429 and 5xx, as often as the component says and after longer waits; the script gets the last answer, or what went wrong.',
  exclusions: 'Domains whose limits refuse runs; the times of signatures in runs in which clocks were set.',
  sender: '10.6.22.3',
  play: async (useCase) => {
    const came = new Map<string, number>();
    const nameOf = (url: string) => url.slice(address.length);
    const receiver = useCase.context.questions.receiver(address, ({ url }) => {
      const all = answers[nameOf(url)] ?? [{ status: 404 }];
      const count = came.get(url) ?? 0;
      came.set(url, count + 1);
      return all[Math.min(count, all.length - 1)] ?? 'reset';
    });
    useCase.afterwards(async () => receiver.end());
    await send(useCase, receiver.requests);
  },
});

async function send(useCase: UseCase, requests: readonly NotedRequest[]): Promise<void> {
  const [here, there] = [useCase.here, useCase.there];
  const ask = await serve(useCase, { code, components, recvTimeoutSec, site: here });
  if (ask === undefined) return;
  /** The attempts of all effects so far. */
  const effects: (readonly NotedRequest[])[] = [];
  for (const [index, { n, times, site, isWhole }] of [
    { n: 1, times: 2, site: here, isWhole: true },
    { n: 2, times: 1, site: here, isWhole: false },
    { n: 2, times: 1, site: there, isWhole: false },
  ].entries()) {
    const before = requests.length;
    const answer = await ask({ n, times, isWhole }, site);
    // Its limits refuse the run, or the instance that must serve is not there.
    if (answer === undefined || answer.status === 503 || answer.status === 504) return;
    const own = requests.slice(before);
    const orders = own.filter(({ url }) => url === `${address}order`);
    const attempts = index === 0 ? [orders.slice(0, 3), orders.slice(3)] : [orders];
    useCase.expect(`the answer of run ${index}`, answer, isWhole ? whole : ordered);
    for (const [sent, effect] of attempts.entries()) {
      const count = index + sent === 0 ? 3 : 1;
      effects.push(effect);
      const body = JSON.stringify({ n, sent });
      const fields = { 'content-type': 'application/json', 'x-own': `of ${n}` };
      judge(useCase, effect, { name: 'order', method: 'POST', count, body, fields, signedBy: Buffer.from(secret) });
    }
    if (!isWhole) continue;
    for (const rest of rests) {
      const effect = own.filter(({ url }) => url === `${address}${rest.name}`);
      effects.push(effect);
      judge(useCase, effect, rest);
    }
  }
  // One of each effect.
  for (const header of ['webhook-id', 'idempotency-key']) {
    const ids = effects.flatMap(([first]) => first?.headers[header] ?? []);
    useCase.expect(`the ${header} of ${ids.length} effects`, undefined, () =>
      new Set(ids).size === ids.length ? undefined : `two effects have one: ${ids.join()}`,
    );
  }
}

interface Expected {
  readonly name: string;
  readonly method: string;
  /** Of its attempts. */
  readonly count: number;
  readonly body?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Absent: there is no signature. */
  readonly signedBy?: Buffer;
}

const inJson = { 'content-type': 'application/json' };
const rests: readonly Expected[] = [
  { name: 'text', method: 'PUT', count: 1, body: 'a text, \u00e4', signedBy: keyOf(binarySecret) },
  { name: 'plain', method: 'GET', count: 1 },
  { name: 'lost', method: 'DELETE', count: 1 },
  { name: 'busy', method: 'POST', count: 2, body: '[1]', fields: inJson },
  { name: 'down', method: 'POST', count: 2, body: '7', fields: inJson },
  { name: 'mute', method: 'POST', count: 1 },
  { name: 'gone', method: 'POST', count: 2 },
];

function keyOf(text: string): Buffer {
  return Buffer.from(text.slice('whsec_'.length), 'base64');
}

/** The attempts of one effect. */
function judge(useCase: UseCase, attempts: readonly NotedRequest[], expected: Expected): void {
  const { name, method, count, body, fields = {}, signedBy } = expected;
  const say = (what: string, wrong: () => string | undefined) =>
    useCase.expect(`the ${what} of the request to ${name}`, undefined, wrong);
  say('attempts', () => (attempts.length === count ? undefined : `expected ${count}, got ${attempts.length}`));
  for (const attempt of attempts) {
    say('method and body', () =>
      attempt.method === method && attempt.body === body
        ? undefined
        : `expected ${method} ${body}, got ${attempt.method} ${attempt.body}`,
    );
    say('headers', () => {
      const wrong = Object.keys(fields).find((field) => attempt.headers[field] !== fields[field]);
      return wrong && `${wrong}: expected ${fields[wrong]}, got ${attempt.headers[wrong]}`;
    });
    say('signature', () => wrongSignature(attempt, signedBy, useCase.areClocksRight));
  }
  for (const header of ['idempotency-key', 'webhook-id'])
    say(header, () => {
      const ids = new Set(attempts.map(({ headers: sent }) => sent[header]));
      return ids.size <= 1 ? undefined : `attempts at one effect have ${[...ids].join()}`;
    });
  say('waits', () => {
    const gapsMs = attempts.slice(1).map(({ atMs }, index) => atMs - Number(attempts[index]?.atMs));
    const isRight = gapsMs.every((gapMs, index) => {
      const waitMs = Number(waitsMs[index]);
      return gapMs >= 0.5 * waitMs && gapMs <= 1.5 * waitMs + useCase.quickMs;
    });
    return isRight ? undefined : `${gapsMs.join()} ms between attempts`;
  });
}

/** By the headers of Standard Webhooks. */
function wrongSignature(
  { headers: sent, body = '', atMs }: NotedRequest,
  signedBy: Buffer | undefined,
  isTimed: boolean,
): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = sent;
  if (String(sent['idempotency-key'] ?? '') === '') return 'no idempotency-key';
  if (signedBy === undefined)
    return [id, time, signature].every((field) => field === undefined) ? undefined : `signed without a secret: ${id}`;
  if (id === undefined || id === '' || !/^\d+$/.test(String(time)))
    return `webhook-id ${id}, webhook-timestamp ${time}`;
  const own = `v1,${createHmac('sha256', signedBy).update(`${id}.${time}.${body}`).digest('base64')}`;
  if (signature !== own) return `expected ${own}, got ${signature}`;
  const ageMs = atMs - Number(time) * 1_000;
  return !isTimed || (ageMs >= 0 && ageMs <= latestMs) ? undefined : `its time ${time} is ${ageMs} ms old`;
}

/** A result of an answer that the receiver has given. */
const result = (status: number, attempts: number, body: unknown) => ({ status, attempts, body });
const ordered: Judge = results({ order: result(200, 1, { got: 1 }) });
const whole: Judge = results({
  order: result(200, 1, { got: 1 }),
  text: result(201, 1, '{"got":1}'),
  plain: result(302, 1, ''),
  lost: result(404, 1, 'none'),
  busy: result(204, 2, ''),
  down: result(502, 2, 'b'),
  mute: { code: 'timeout', attempts: 1 },
  gone: { code: 'timeout', attempts: 2 },
});

/** The results of the requests; one without a status has failed, and says why. */
function results(expected: Readonly<Record<string, Item>>): Judge {
  return (answer) => {
    const body = (answer?.body ?? {}) as Readonly<Record<string, Item | undefined>>;
    if (answer?.status !== 200) return `expected 200, got ${longTextOf(answer)}`;
    for (const [name, wanted] of Object.entries(expected)) {
      const { headers: _, problem, ...got } = body[name] ?? {};
      const isProblem = typeof problem === 'string' && problem !== '';
      if (!isSame(got, wanted) || isProblem === 'status' in wanted)
        return `${name}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(body[name])}`;
    }
    const location = (body['plain']?.['headers'] as Item | undefined)?.['location'];
    return !('plain' in expected) || location === 'https://elsewhere.test/'
      ? undefined
      : `location ${String(location)}`;
  };
}
