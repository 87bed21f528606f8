/** The oracle of call records and recordings that stay, or stay removed, whichever callstore serves. */
import { recordsStay } from '../../../sim/oracles/rules/data/records-stay.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const domain = 'acme.root.test';
const journal = '/rest/v1/journal/calls';
const recordings = `${journal}/i/attachments`;
const call = {
  inviteid: 'i',
  startts: 1_000,
  answerts: 2_000,
  endts: 9_000,
  type: 'bye',
  participations: [{ side: 'a' }, { side: 'b' }],
};
const sound = [{ site: 'hq', files: [{ name: 'one.wav' }] }];

const first = defaultMap.instance('hq/h1/callstore-116');

let id = 0;

function ask(trial: Trial, method: string, target: string, body?: unknown, missing?: string): Trial {
  id += 1;
  const about = { id, site: 'hq', method, target };
  const sent = method === 'POST' ? JSON.stringify({ domain }) : undefined;
  trial.see('request.received', { ...about, client: method === 'POST' ? '' : 'token', sent });
  const text = body === undefined ? '' : JSON.stringify(body);
  return trial.see('request.answered', { ...about, status: 200, tookMs: 1, body: text, ageS: undefined, missing });
}

/** What fronts answer in the quiescent cluster. */
interface Last {
  readonly record?: object;
  readonly files?: unknown;
}

function run({ record = call, files = [] }: Last): Trial {
  const answer = ({ path }: { path: string }) => (path.includes('attachments') ? files : [record]);
  const trial = new Trial(recordsStay, { answer }).pass(60_000);
  return ask(trial, 'POST', '/rest/v1/iam/sessions', { session_token: 'token' });
}

for (const [what, record, verdict] of [
  ['the same', call, 'pass'],
  [
    'one that knows more',
    { ...call, startts: 900, endts: 9_500, participations: [...call.participations, { side: 'c' }] },
    'pass',
  ],
  ['one that begins later', { ...call, startts: 1_500 }, 'fail'],
  ['one without an answer', { ...call, answerts: null }, 'fail'],
  ['one that ends earlier', { ...call, endts: 8_000 }, 'fail'],
  ['one whose end is not known', { ...call, type: 'dead' }, 'fail'],
  ['one without a participation', { ...call, participations: [{ side: 'a' }] }, 'fail'],
] as const) {
  test(`records-stay: a record, and later ${what}: ${verdict}`, async (t) => {
    const trial = ask(run({ record }), 'GET', `${journal}?limit=20`, [call]);
    t.is((await trial.quiesce()).verdict, verdict, trial.failures.join());
  });
}

test('records-stay: a client who has asked for some fields has seen no others', async (t) => {
  const trial = ask(run({ record: { ...call, type: 'dead' } }), 'GET', `${journal}?mask=inviteid`, [{ inviteid: 'i' }]);
  t.is((await trial.quiesce()).verdict, 'pass', trial.failures.join());
});

test('records-stay: a record whose end was not known before may end earlier', async (t) => {
  const trial = ask(run({}), 'GET', `${journal}/i`, { ...call, endts: 30_000, type: 'dead' });
  t.is((await trial.quiesce()).verdict, 'pass', trial.failures.join());
});

for (const [what, target] of [
  ['by its name', `${recordings}/one.wav`],
  ['with all others', recordings],
] as const) {
  test(`records-stay: a recording that was removed ${what} is gone, or it fails`, async (t) => {
    const kept = ask(ask(run({}), 'GET', recordings, sound), 'DELETE', target);
    t.is((await kept.quiesce()).verdict, 'pass', kept.failures.join());
    const back = ask(ask(run({ files: sound }), 'GET', recordings, sound), 'DELETE', target);
    t.regex((await back.quiesce()).failures.join(), /shows the recording one.wav of the call i, which was removed/);
  });
}

test('records-stay: sites that do not answer a removal keep their recordings', async (t) => {
  const trial = ask(ask(run({ files: sound }), 'GET', recordings, sound), 'DELETE', recordings, undefined, 'north');
  t.is((await trial.quiesce()).verdict, 'unknown');
});

test('records-stay: a recording whose removal had time to reach all callstores does not come back for a moment', async (t) => {
  let reads = 0;
  const answer = ({ path }: { path: string }) => {
    if (!path.includes('attachments')) return [call];
    reads += 1;
    return reads === 1 ? sound : [];
  };
  const trial = new Trial(recordsStay, { answer }).meet('hq').pass(60_000);
  ask(trial, 'POST', '/rest/v1/iam/sessions', { session_token: 'token' });
  ask(trial, 'DELETE', `${recordings}/one.wav`).pass(10_000);
  t.is((await trial.quiesce()).verdict, 'fail');
});

/** Two members of a group compare what they have written. */
function compared(trial: Trial, mine: string, theirs: string, wants: readonly string[] = ['i']): Trial {
  const [standby = '', active = ''] = defaultMap.groupOf(first).map(({ address }) => address);
  const entries = (mark: string) => [['i', mark]];
  const ask = { type: 'callstore.compare', kind: 'ask', from: standby, to: active } as const;
  const re = trial.send({ ...ask, body: { after: 0, entries: entries(mine) } });
  const body = { store: 's', entries: entries(theirs), upTo: 1, more: false, wants };
  trial.send({ type: 'callstore.compare', kind: 'reply', re, from: active, to: standby, body });
  return trial;
}

test('records-stay: members that know different things of a call know the same when they have compared, or it fails', async (t) => {
  const exchanged = compared(compared(run({}), 'a', 'b'), 'c', 'c');
  t.is((await exchanged.quiesce()).verdict, 'pass', exchanged.failures.join());
  const kept = compared(run({}), 'a', 'b');
  t.regex((await kept.quiesce()).failures.join(), /of the call i callstores know different things/);
});

test('records-stay: an active member asks for a record that differs from its own, or it fails', async (t) => {
  const unasked = compared(compared(run({}), 'a', 'b', []), 'b', 'b');
  t.regex((await unasked.quiesce()).failures.join(), /did not ask for the record of the call i that differs/);
  const changed = compared(compared(run({}), 'a', 'b', []), 'a', 'a');
  t.is((await changed.quiesce()).verdict, 'pass', changed.failures.join());
});
