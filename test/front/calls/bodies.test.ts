/** Bodies and parameters of call and conference control that are refused, each with its message. */
import { done } from '../../../src/model/fault.ts';
import { callOf, conferenceOf, ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { type Asked, acmeAdmin, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const call = `${calls}/214-1`;
const conferences = '/rest/v1/uc/conferences';
const conference = `${conferences}/224-1`;
const records = '/rest/v1/journal/calls';
const states = '/rest/v1/uc/sipuser_states';
let script: ScriptedCalls;
let token: string;

test.before(async () => {
  script = await ScriptedCalls.start();
  token = await script.cluster.token(acmeAdmin);
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '214-1' })]);
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'])]);
  script.on('ivr.call', () => done({ result: 'ok' }));
  script.on('dialog.command', () => done({}));
});

const letters = (count: number) => 'x'.repeat(count);
const number = 'expected a number of 1 to 128 characters without blanks, alone or as number@domain';
const label = 'expected a label of 1 to 256 characters';
const mode = 'expected an integer from 0 to 3';
const by = 'expected "a", "b" or the URI of a party, of 1 to 512 characters';
const hears = 'hears: expected an object with an array of participant ids for each participant';
const keys = 'dialogid, inviteid, callid, uri, from, sipuserid, sipuserlogin, sipuserphonenumber, userid';

const bodies: Record<string, [body: unknown, message: string][]> = {
  [`POST ${calls}`]: [
    [{}, `from: ${number}, got nothing`],
    [{ from: '1' }, `to: ${number}, got nothing`],
    [{ from: 1_001, to: '1' }, `from: ${number}, got 1001`],
    [{ from: '', to: '1' }, `from: ${number}, got ""`],
    [{ from: '1 2', to: '1' }, `from: ${number}, got "1 2"`],
    [{ from: '1', to: '@' }, `to: ${number}, got "@"`],
    [{ from: '1@', to: '2' }, `from: ${number}, got "1@"`],
    [{ from: '1', to: '2@b@c' }, `to: ${number}, got "2@b@c"`],
    [{ from: '1', to: '<sip:1@x>' }, `to: ${number}, got "<sip:1@x>"`],
    [{ from: '1', to: letters(129) }, `to: ${number}, got "${letters(56)}...`],
    [{ from: '1', to: '2', mode: 'login' }, 'mode: expected "number" or "sipuser", got "login"'],
    [{ from: '1', to: '2', timeout: 0 }, 'timeout: expected an integer from 1 to 300, got 0'],
    [{ from: '1', to: '2', timeout: 301 }, 'timeout: expected an integer from 1 to 300, got 301'],
    [{ from: '1', to: '2', timeout: 1.5 }, 'timeout: expected an integer from 1 to 300, got 1.5'],
    [{ from: '1', to: '2', timeout: '30' }, 'timeout: expected an integer from 1 to 300, got "30"'],
    [{ from: '1', to: '2', response_mode: 4 }, `response_mode: ${mode}, got 4`],
    [{ from: '1', to: '2', response_mode: '1' }, `response_mode: ${mode}, got "1"`],
    [{ from: '1', to: '2', response_mode: null }, `response_mode: ${mode}, got null`],
    [{ from: '1', to: '2', label: letters(257) }, `label: ${label}, got "${letters(56)}...`],
    [{ from: '1', to: '2', label: '' }, `label: ${label}, got ""`],
    [{ from: '1', to: '2', callerid: {} }, `callerid: ${number}, got {}`],
    [{ from: '1', to: '2', callername: 5 }, 'callername: expected a name of 1 to 256 characters, got 5'],
    [{ from: '1', to: '2', id: 5 }, 'id: no such field here'],
    [[], 'body: expected object, got []'],
    ['1001', 'body: expected object, got "1001"'],
    [null, 'body: expected object, got null'],
  ],
  [`INVITE ${calls}`]: [[{ from: '1' }, `to: ${number}, got nothing`]],
  [`LOOKUP ${calls}`]: [
    [{}, `body: expected one of ${keys}, got {}`],
    [{ mode: 'number' }, `body: expected one of ${keys}, got {"mode":"number"}`],
    [{ confid: '1' }, 'confid: no such field here'],
    [{ dialogid: 1 }, 'dialogid: expected a value of 1 to 512 characters, got 1'],
    [{ from: '1', mode: 'x' }, 'mode: expected "number" or "sipuser", got "x"'],
    ['214-1', 'body: expected object, got "214-1"'],
  ],
  [`REFER ${call}`]: [
    [{ referto: '1' }, `by: ${by}, got nothing`],
    [{ by: '', referto: '1' }, `by: ${by}, got ""`],
    [{ by: 'a' }, `referto: ${number}, got nothing`],
    [{ by: 'a', referto: '1', response_mode: -1 }, `response_mode: ${mode}, got -1`],
    [{ by: 'a', referto: '1', dialogid: '214-1' }, 'dialogid: no such field here'],
    [{ by: 'a', referto: '1', timeout: 3 }, 'timeout: no such field here'],
  ],
  [`REFERREPLACES ${call}`]: [[{ by: 'a' }, 'dialogid: expected an id of 1 to 512 characters, got nothing']],
  [`REFERCONF ${call}`]: [[{ by: 'a', confid: 1 }, 'confid: expected an id of 1 to 512 characters, got 1']],
  [`SWITCHCONF ${call}`]: [
    [{ by: 'a' }, 'by: no such field here, expected none'],
    [[], 'body: expected object, got []'],
  ],
  [`NOTIFY ${call}`]: [
    [{ to: 'c', event: 'hold' }, 'to: expected "a" or "b", got "c"'],
    [{ to: 'a', event: 'ring' }, 'event: expected "talk" or "hold", got "ring"'],
  ],
  [`SEND_DTMF ${call}`]: [
    [{ to: 'a', dtmf: '12' }, 'dtmf: expected one of 0-9, *, #, A-D, got "12"'],
    [{ to: 'a', dtmf: 1 }, 'dtmf: expected one of 0-9, *, #, A-D, got 1'],
    [{ to: 'a', dtmf: 'a' }, 'dtmf: expected one of 0-9, *, #, A-D, got "a"'],
  ],
  [`SETUP_ASR ${call}`]: [
    [{ action: 'start' }, 'side: expected "a" or "b", got nothing'],
    [{ side: 'a', action: 'listen' }, 'action: expected "start" or "stop", got "listen"'],
  ],
  [`SETUP_RECORD ${call}`]: [[{}, 'action: expected "start" or "stop", got nothing']],
  [`SETUP_BINDINGS ${call}`]: [
    [{ add: 'x' }, 'add: expected an array of at most 100 labels, got "x"'],
    [{ add: [1] }, `add.0: ${label}, got 1`],
    [{ remove: Array(101).fill('x') }, `remove: expected an array of at most 100 labels, got ["x","x"`],
  ],
  [`LOOKUP ${conferences}`]: [
    [{}, `body: expected one of ${keys}, confid, confuri, confroomnum, confnumber, got {}`],
    [{ room: '01' }, 'room: no such field here'],
    [{ confroomnum: 1 }, 'confroomnum: expected a value of 1 to 512 characters, got 1'],
  ],
  [`POST ${conference}/participants`]: [
    [{}, `to: ${number}, got nothing`],
    [{ to: '1', mode: 'number' }, 'mode: no such field here'],
  ],
  [`POST ${conference}/topology`]: [
    [{}, `${hears}, got nothing`],
    [{ hears: [] }, `${hears}, got []`],
    [
      { hears: { p1: 'p2' } },
      'hears.p1: expected an object with an array of participant ids for each participant, got "p2"',
    ],
    [{ hears: {}, talks: {} }, 'talks: no such field here'],
  ],
};

for (const [line, rows] of Object.entries(bodies)) {
  test(`${line} refuses bodies that are wrong`, async (t) => {
    for (const [json, message] of rows) {
      const answer = await script.cluster.ask(line, { token, json });
      refused(t, answer, 400);
      const { error_message } = answer.body as { error_message: string };
      t.is(error_message.slice(0, message.length), message);
    }
    const [json] = rows[0] ?? [];
    const wrong: Asked[] = [
      { raw: '{', headers: { 'content-type': 'application/json' } },
      { raw: JSON.stringify(json), headers: { 'content-type': 'text/plain' } },
    ];
    refused(t, await script.cluster.ask(line, { token, ...wrong[0] }), 400, /^body: expected JSON/);
    refused(t, await script.cluster.ask(line, { token, ...wrong[1] }), 415);
    refused(t, await script.cluster.ask(line, { json }), 401);
    const isSwitch = line.startsWith('SWITCHCONF');
    if (!isSwitch) refused(t, await script.cluster.ask(line, { token }), 400, /^body: expected JSON, got nothing$/);
  });
}

const queries: [query: string, message: RegExp][] = [
  ['limit=ten', /^limit: expected an integer from 0 to 10000, got "ten"$/],
  ['limit=10001', /^limit: /],
  ['offset=-1', /^offset: expected an integer from 0 to/],
  ['filter=status', /^filter: expected a JSON object or array, got "status"$/],
  ['filter=["~","a","b"]', /^filter/],
  ['order={"a":"up"}', /^order\["a"\]: expected "asc" or "desc", got "up"$/],
  ['flat=maybe', /^flat: expected true, false, 1 or 0, got "maybe"$/],
  ['countonly=2', /^countonly: expected true, false, 1 or 0, got "2"$/],
  ['mask=a&mask=b', /^mask: given twice$/],
];

for (const path of [calls, conferences, `${conference}/participants`, records, states]) {
  test(`GET ${path} refuses parameters that are wrong`, async (t) => {
    for (const [query, message] of queries) {
      refused(t, await script.cluster.ask(`GET ${path}?${query}`, { token }), 400, message);
    }
  });
}

for (const path of [call, conference, `${conference}/participants/p1`, `${records}/x`, `${states}/x`]) {
  test(`GET ${path} refuses parameters that are wrong`, async (t) => {
    refused(t, await script.cluster.ask(`GET ${path}?flat=x`, { token }), 400, /^flat: /);
    refused(t, await script.cluster.ask(`GET ${path}?mask=a&mask=a`, { token }), 400, /^mask: given twice$/);
  });
}
