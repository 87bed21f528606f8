/** Whatever is asked of calls, conferences, registrations and records, the answer is one of the interface. */

import fc from 'fast-check';
import { done } from '../../../src/model/fault.ts';
import { callOf, conferenceOf, ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { type Answer, acmeAdmin, acmeUser, admin } from '../../kit/front.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const statuses = [200, 204, 400, 401, 403, 404, 405, 409, 413, 415, 501, 503, 504];
const bases = ['calls', 'calls_by_participation', 'conferences', 'conferences_by_participation', 'sipuser_states'];
const paths = [
  ...bases.map((name) => `/rest/v1/uc/${name}`),
  ...['calls', 'conferences'].map((name) => `/rest/v1/user/sip/${name}`),
  ...['calls', 'calls_by_participation'].map((name) => `/rest/v1/journal/${name}`),
];
const verbs = ['GET', 'POST', 'DELETE', 'LOOKUP', 'INVITE', 'INVITEBYIVR', 'REFER', 'REFERREPLACES', 'SWITCHCONF'];
const others = [
  'REFERCONF',
  'NOTIFY',
  'SEND_DTMF',
  'SETUP_RECORD',
  'SETUP_BINDINGS',
  'SETUP_ASR',
  'PUT',
  'PATCH',
  'HEAD',
];
const ends = [
  '',
  '/214-1',
  '/224-1',
  '/x',
  '/%E0%A4%A',
  '/224-1/participants',
  '/224-1/paticipants/p1',
  '/224-1/topology',
];
const word = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '1001',
    '1002',
    '214-1',
    '224-1',
    '<sip:1001@acme.root.test>',
    'hold',
    'start',
    '#',
    'number',
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const fields = ['from', 'to', 'mode', 'timeout', 'label', 'response_mode', 'by', 'referto', 'dialogid', 'confid'];
const field = fc.constantFrom(
  ...fields,
  'event',
  'dtmf',
  'action',
  'add',
  'hears',
  'callid',
  'uri',
  'confuri',
  '__proto__',
);
const value = fc.oneof(
  { weight: 3, arbitrary: word },
  fc.integer({ min: -1, max: 301 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const body = fc.oneof(
  { weight: 5, arbitrary: fc.dictionary(field, value, { maxKeys: 4 }).map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const parameter = fc.tuple(fc.constantFrom('filter', 'order', 'mask', 'limit', 'offset', 'flat', 'countonly'), word);
const requests = fc.record({
  method: fc.constantFrom(...verbs, ...verbs, ...others),
  path: fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...ends)).map((parts) => parts.join('')),
  query: fc.array(parameter, { maxLength: 2 }).map((all) => new URLSearchParams(all).toString()),
  body,
  who: fc.constantFrom('admin', 'admin', 'user', 'master', 'nobody'),
});
type RandomRequest = ReturnType<typeof requests.generate>['value'];

function complaint({ method }: RandomRequest, { status, text, headers, body }: Answer): string | undefined {
  if (!statuses.includes(status)) return `status ${status} ${text}`;
  if (method === 'HEAD' || status === 204) return text === '' ? undefined : `a body: ${text}`;
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return `type ${headers.get('content-type')}`;
  if (status === 200) return undefined;
  const { error_code, error_message } = body as Record<string, unknown>;
  if (error_code !== 1_000 + status || typeof error_message !== 'string' || error_message === '') return text;
  return undefined;
}

test('any random request is answered as the interface has it', async (t) => {
  const script = await ScriptedCalls.start();
  const { cluster } = script;
  const tokens = new Map([
    ['admin', await cluster.token(acmeAdmin)],
    ['user', await cluster.token(acmeUser)],
    ['master', await cluster.token(admin)],
  ]);
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '214-1' })]);
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'])]);
  const replaces = { callid: 'c', toTag: 't', fromTag: 'f' };
  script.on('dialog.command', () => done({ identity: { number: '1002', uri: 'sip:1002@acme.root.test', replaces } }));
  script.on('ivr.call', () => done({ result: 'ok' }));
  script.on('dialog.originate', () => done({ result: 'ok' }));
  script.on('conference.create', () => done({ confid: '224-2', uri: 'sip:conf-224-2@acme.root.test' }));
  script.on('conference.call', () => done({ participantids: ['p2'] }));
  script.on('conference.remove', () => done({}));
  script.on('conference.end', () => done({}));
  script.on('conference.hears', () => done({ hears: {} }));
  script.on('callstore.records', () => done({ records: [], count: 0 }));
  script.on('registrar.online', () => done({ logins: [] }));
  const met = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { method, path, query, body, who } = request;
      const token = tokens.get(who);
      const headers = { 'content-type': 'application/json' };
      const raw = method === 'GET' || method === 'HEAD' ? undefined : body;
      const asked = { token, headers, ...(raw !== undefined && { raw }) };
      const answer = await cluster.ask(`${method} ${path}${query === '' ? '' : `?${query}`}`, asked);
      met.set(answer.status, (met.get(answer.status) ?? 0) + 1);
      const wrong = complaint(request, answer);
      if (wrong !== undefined) throw new Error(wrong);
    }),
    { seed: 20_260_102, numRuns: sized(150, 600) },
  );
  for (const status of [200, 400, 401, 403, 404, 405]) {
    t.true(met.has(status), `no answer of ${status}: ${JSON.stringify([...met])}`);
  }
});
