/** IVR scripts: a number leads to a script, which answers, plays, collects digits, branches and transfers. */

import type { ExecutionContext } from 'ava';
import { acmeAdmin, FrontCluster, good, refused } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const scripts = '/rest/v1/domain/ivrscripts';
const components = [
  { name: 'start', type: 'start', next: 'answer' },
  { name: 'answer', type: 'answer', next: 'menu' },
  { name: 'menu', type: 'menu', file: "'wait.wav'", digits: 2, seconds: '10', next: 'which', timeout: 'park' },
  { name: 'which', type: 'branch', condition: "digits === '12'", yes: 'transfer', no: 'hangup' },
  { name: 'transfer', type: 'refer', to: "'1003'", failed: 'hangup' },
  { name: 'park', type: 'play', file: "'wait.wav'", seconds: '30', next: 'hangup' },
  { name: 'hangup', type: 'hangup' },
];

async function start(t: ExecutionContext, more: object = {}) {
  const cluster = await FrontCluster.start();
  t.teardown(() => cluster.world.stop());
  const token = await cluster.token(acmeAdmin);
  const [file] = good(t, await cluster.ask('GET /rest/v1/fs/targets/parking', { token })) as { name: string }[];
  const text = JSON.stringify(components).replaceAll('wait.wav', file?.name ?? '');
  const json = { code: 'menu', number: '700', components: JSON.parse(text), ...more };
  good(t, await cluster.ask(`POST ${scripts}`, { token, json }));
  const { outside } = cluster.world;
  const phone = (login: string) => outside.phones(`acme.root.test/${login}`)[0]?.calls[0];
  const call = (login: string) => outside.call(`acme.root.test/${login}`, '700');
  return { cluster, token, outside, phone, call, file: file?.name };
}

test('a call to the number of an IVR script hears its file; the digits choose the branch, and the caller is transferred', async (t) => {
  const { cluster, outside, phone, call, file } = await start(t);
  call('1001');
  await cluster.world.wait(2_000);
  t.is(phone('1001')?.state, 'talking');
  t.is(phone('1001')?.hears, file);
  outside.press('acme.root.test/1001', '12');
  await cluster.world.wait(500);
  t.is(phone('1001')?.hears, undefined);
  await cluster.world.wait(6_000);
  t.is(phone('1003')?.state, 'talking');
  t.regex(String(phone('1003')?.with), /1001@/);
});

test('a caller who presses the digits of a menu early does not hear its file afterwards', async (t) => {
  const { cluster, outside, phone, call } = await start(t, {
    components: [
      { name: 'start', type: 'start', next: 'answer' },
      { name: 'answer', type: 'answer', next: 'think' },
      { name: 'think', type: 'wait', seconds: '3', next: 'menu' },
      { name: 'menu', type: 'menu', file: "'wait.wav'", digits: 1, seconds: '10', next: 'rest' },
      { name: 'rest', type: 'wait', seconds: '20' },
    ],
  });
  call('1001');
  await cluster.world.wait(2_000);
  outside.press('acme.root.test/1001', '7');
  await cluster.world.wait(6_000);
  t.is(phone('1001')?.state, 'talking');
  t.is(phone('1001')?.hears, undefined);
});

test('other digits take the other branch: the call is hung up', async (t) => {
  const { cluster, outside, phone, call } = await start(t);
  call('1001');
  await cluster.world.wait(2_000);
  outside.press('acme.root.test/1001', '9#');
  await cluster.world.wait(1_000);
  t.is(phone('1001'), undefined);
});

test('without digits the call is parked: it hears the file until the script hangs up', async (t) => {
  const { cluster, phone, call, file } = await start(t);
  call('1001');
  await cluster.world.wait(15_000);
  t.is(phone('1001')?.hears, file);
  await cluster.world.wait(30_000);
  t.is(phone('1001'), undefined);
});

test('a script that fails ends its call; the log names the script, the component and the field', async (t) => {
  const { cluster, phone, call } = await start(t, {
    components: [
      { name: 'start', type: 'start', next: 'answer' },
      { name: 'answer', type: 'answer', next: 'bad' },
      { name: 'bad', type: 'play', file: 'missing + 1' },
    ],
  });
  const problems: unknown[] = [];
  cluster.world.observe(({ event, fields }) => void (event === 'script.failed' && problems.push(fields['problem'])), {
    kinds: ['logged'],
  });
  call('1001');
  await cluster.world.wait(3_000);
  t.is(phone('1001'), undefined);
  t.is(problems.length, 1);
  t.regex(String(problems[0]), /^script "menu", component "bad": file: .*missing/);
});

test('a caller who hangs up ends the script, and the instance that runs it may die', async (t) => {
  const { cluster, outside, phone, call } = await start(t);
  call('1001');
  await cluster.world.wait(2_000);
  outside.hangUp('acme.root.test/1001');
  await cluster.world.wait(2_000);
  t.is(phone('1001'), undefined);
  call('1002');
  await cluster.world.wait(2_000);
  t.is(phone('1002')?.state, 'talking');
  for (const { name } of cluster.world.map.instancesOf('ivr')) cluster.world.faults.crashInstance(name);
  await cluster.world.wait(60_000);
  t.is(phone('1002'), undefined);
});

test('two scripts of a domain have different numbers, and a number consists of digits', async (t) => {
  const { cluster, token } = await start(t);
  const ask = (json: object) => cluster.ask(`POST ${scripts}`, { token, json: { code: 'other', components, ...json } });
  refused(t, await ask({ number: '700' }), 409);
  refused(t, await ask({ number: '70a' }), 400);
  good(t, await ask({ number: '' }));
});

test('INVITEBYIVR calls a number, and the script serves the call; a script that the domain lacks is refused', async (t) => {
  const { cluster, token, phone, outside, file } = await start(t);
  const invite = (json: object) =>
    cluster.ask('INVITEBYIVR /rest/v1/uc/calls', {
      at: 'north',
      token,
      json: { from: '1001', response_mode: 1, ...json },
    });
  const { ivrcallid, ...answer } = good(t, await invite({ ivrscript: 'menu' })) as { ivrcallid: string };
  t.deepEqual(answer, { result: 'ok' });
  const named = { at: 'north', token, json: { callid: ivrcallid } };
  t.is(good<string[]>(t, await cluster.ask('LOOKUP /rest/v1/uc/calls', named)).length, 1);
  await cluster.world.wait(2_000);
  t.is(phone('1001')?.hears, file);
  const [call] = good(t, await cluster.ask('GET /rest/v1/uc/calls', { at: 'north', token })) as { uris: string[] }[];
  t.true(call?.uris.some((uri) => uri.includes('ivr-menu@')));
  outside.press('acme.root.test/1001', '00');
  await cluster.world.wait(2_000);
  t.is(phone('1001'), undefined);
  const queued = good(t, await invite({ ivrscript: 'menu', response_mode: 0 })) as { ivrcallid: string };
  t.is(
    good<string[]>(t, await cluster.ask('LOOKUP /rest/v1/uc/calls', { ...named, json: { callid: queued.ivrcallid } }))
      .length,
    1,
  );
  refused(t, await invite({ ivrscript: 'missing' }), 404);
  refused(t, await invite({ to: '1002' }), 400);
});

test('an IVR script requests a web hook and executes an operation; the journal shows its run with the steps', async (t) => {
  const requests: string[] = [];
  const { cluster, token, call } = await start(t, {
    components: [
      { name: 'start', type: 'start', next: 'answer' },
      { name: 'answer', type: 'answer', next: 'hook' },
      {
        name: 'hook',
        type: 'http',
        method: 'POST',
        url: "'http://hook.test/in'",
        body: '({ from: startparam(1) })',
        result: 'got',
        next: 'list',
      },
      { name: 'list', type: 'operation', operation: 'call.list', result: 'calls', next: 'note' },
      { name: 'note', type: 'log', text: 'got.status + " " + calls.length', next: 'hangup' },
      { name: 'hangup', type: 'hangup' },
    ],
  });
  cluster.world.outside.stubs.handle('http://hook.test/', ({ url, body }) => {
    requests.push(`${url} ${body}`);
    return { status: 202 };
  });
  call('1001');
  await cluster.world.wait(5_000);
  t.deepEqual(requests, ['http://hook.test/in {"from":"1001"}']);
  const [run] = good(t, await cluster.ask('GET /rest/v1/journal/scripts', { token })) as {
    id: string;
    status: string;
  }[];
  t.is(run?.status, 'finished');
  const { steps } = good(t, await cluster.ask(`GET /rest/v1/journal/scripts/${run?.id}`, { token })) as {
    steps: { component: string; note: string }[];
  };
  t.deepEqual(
    steps.map(({ component, note }) => `${component} ${note}`),
    ['start next', 'answer next', 'hook next', 'list next', 'note 202 1', 'hangup next'],
  );
  const masked = await cluster.ask(`GET /rest/v1/journal/scripts/${run?.id}?mask=status`, { token });
  t.deepEqual(good(t, masked), { status: 'finished' });
});

/** A script that answers, and then executes components of its own. */
function script(...own: Readonly<Record<string, unknown>>[]) {
  const named = own.map((each, index) => {
    const next = index + 1 < own.length ? { next: `c${index + 1}` } : {};
    return { name: `c${index}`, ...next, ...each };
  });
  return [{ name: 'start', type: 'start', next: 'answer' }, { name: 'answer', type: 'answer', next: 'c0' }, ...named];
}

async function runOf({ cluster, token }: Awaited<ReturnType<typeof start>>, t: ExecutionContext) {
  const path = 'GET /rest/v1/journal/scripts';
  const [run] = good(t, await cluster.ask(path, { token })) as { id: string }[];
  return good(t, await cluster.ask(`${path}/${run?.id}`, { token })) as {
    status: string;
    problem?: string;
    variables: Record<string, Record<string, string>>;
    steps: { component: string; note: string }[];
  };
}

test('record: a digit ends it; the file is an attachment of the call, as long as the party was recorded', async (t) => {
  const started = await start(t, {
    components: script({ type: 'wait', seconds: '2' }, { type: 'record', seconds: '30' }, { type: 'hangup' }),
  });
  const { cluster, token, outside, call } = started;
  call('1001');
  await cluster.world.wait(8_000);
  outside.press('acme.root.test/1001', '#');
  await cluster.world.wait(5_000);
  const { variables, status } = await runOf(started, t);
  t.is(status, 'finished');
  const { inviteid, name, digit } = variables['recording'] ?? {};
  t.is(digit, '#');
  const files = `/rest/v1/journal/calls/${inviteid}/attachments`;
  const [
    {
      files: [file],
    },
  ] = good(t, await cluster.ask(`GET ${files}`, { token })) as [{ files: [{ name: string; size: number }] }];
  t.is(name, file.name);
  const seconds = (file.size - 44) / (8_000 * 4);
  t.true(seconds > 5 && seconds < 6.5, `${seconds} s`);
});

test('record: a recording of a record rule goes on, and its time limit ends the component', async (t) => {
  const started = await start(t, {
    components: script({ type: 'record', seconds: '3' }, { type: 'wait', seconds: '4' }),
  });
  const { cluster, token, call } = started;
  good(
    t,
    await cluster.ask('POST /rest/v1/uc/recordrules', { token, json: { priority: 1, rec: 1, crossdomain: '*' } }),
  );
  call('1001');
  await cluster.world.wait(15_000);
  const { inviteid } = (await runOf(started, t)).variables['recording'] ?? {};
  const files = `/rest/v1/journal/calls/${inviteid}/attachments`;
  const [{ files: all }] = good(t, await cluster.ask(`GET ${files}`, { token })) as [{ files: { size: number }[] }];
  t.is(all.length, 1);
  t.true(((all[0]?.size ?? 0) - 44) / (8_000 * 4) > 6.5);
});

test('call and transfer: the script calls another number while the party waits, and connects both', async (t) => {
  const started = await start(t, {
    components: script({ type: 'call', to: "'1003'" }, { type: 'transfer' }),
  });
  const { cluster, phone, call } = started;
  call('1001');
  await cluster.world.wait(3_000);
  t.is(phone('1003')?.state, 'ringing');
  await cluster.world.wait(10_000);
  t.is(phone('1001')?.state, 'talking');
  t.is(phone('1003')?.state, 'talking');
  t.regex(String(phone('1003')?.with), /1001@/);
  t.regex(String(phone('1001')?.with), /1003@/);
  t.is(started.outside.phones('acme.root.test/1003')[0]?.calls.length, 1);
  t.is(started.outside.phones('acme.root.test/1001')[0]?.calls.length, 1);
});

test('call: a busy number, one that does not answer in time, and the end of the script end the other call', async (t) => {
  const started = await start(t, {
    components: [
      ...script(
        { type: 'call', to: "'1009'", result: 'busy', failed: 'c1' },
        { type: 'call', to: "'1008'", seconds: '3', result: 'silent', timeout: 'c2' },
        { type: 'call', to: "'1002'", result: 'answered' },
        { type: 'wait', seconds: '8' },
      ),
    ],
  });
  const { cluster, phone, call } = started;
  call('1001');
  await cluster.world.wait(10_000);
  t.is(phone('1002')?.state, 'talking');
  await cluster.world.wait(10_000);
  t.is(phone('1002'), undefined);
  t.is(phone('1001'), undefined);
  const { variables, steps } = await runOf(started, t);
  t.like(variables['busy'], { status: 486 as unknown, code: 'refused' });
  t.is(typeof variables['answered']?.['callid'], 'string');
  t.deepEqual(steps.map(({ note }) => note).slice(2, 5), ['failed', 'timeout', 'next']);
});

test('call: a number rings for as long as the component says, 300 s at most', async (t) => {
  const started = await start(t, {
    components: script(
      { type: 'call', to: "'700013'", seconds: '240', result: 'silent', timeout: 'c1' },
      { type: 'call', to: "'700013'", seconds: '301', result: 'wrong', failed: 'c2' },
      { type: 'hangup' },
    ),
  });
  const { cluster, phone, call } = started;
  call('1001');
  await cluster.world.wait(239_000);
  t.is(phone('1001')?.state, 'talking');
  await cluster.world.wait(5_000);
  const { variables, steps } = await runOf(started, t);
  t.deepEqual(steps.map(({ note }) => note).slice(2, 4), ['timeout', 'failed']);
  t.deepEqual(variables['wrong'], { problem: 'seconds: expected a number from 1 to 300, got 301', code: 'invalid' });
});

test('transfer: a call that does not exist is refused by the branch failed, and the party is still there', async (t) => {
  const started = await start(t, {
    components: script(
      {
        type: 'transfer',
        to: "'1003'",
        callid: "'none'",
        totag: "'a'",
        fromtag: "'b'",
        reinvite: 3,
        result: 'why',
        failed: 'c1',
      },
      { type: 'wait', seconds: '100' },
    ),
  });
  const { cluster, phone, call } = started;
  call('1001');
  await cluster.world.wait(15_000);
  t.is(phone('1001')?.state, 'talking');
  t.false(phone('1001')?.isHeld);
  t.is((await runOf(started, t)).variables['why']?.['status'] as unknown, 481);
});

test('conference: the party joins a new conference, and another call of the script joins it by its confid', async (t) => {
  const started = await start(t, { components: script({ type: 'conference' }) });
  const { cluster, token, phone, call } = started;
  call('1001');
  await cluster.world.wait(5_000);
  const path = 'GET /rest/v1/uc/conferences';
  const [conference] = good(t, await cluster.ask(path, { token })) as { confid: string }[];
  t.regex(String(phone('1001')?.with), new RegExp(`conf-${conference?.confid}@`));
  const [id] = good(t, await cluster.ask(`LOOKUP ${scripts}`, { token, json: 'menu' })) as string[];
  const json = { components: script({ type: 'conference', to: `'${conference?.confid}'` }) };
  good(t, await cluster.ask(`PATCH /rest/v1/domain/ivrscripts/${id}`, { token, json }));
  call('1002');
  await cluster.world.wait(5_000);
  const people = good(t, await cluster.ask(`${path}/${conference?.confid}/participants`, { token })) as unknown[];
  t.is(people.length, 2);
});

test('conference: a party that is not transferred leaves no empty conference', async (t) => {
  const started = await start(t, {
    components: [
      { name: 'start', type: 'start', next: 'conference' },
      { name: 'conference', type: 'conference', result: 'why', failed: 'wait' },
      { name: 'wait', type: 'wait', seconds: '20' },
    ],
  });
  const { cluster, token, phone, call } = started;
  call('1001');
  await cluster.world.wait(2_000);
  t.not(phone('1001'), undefined);
  t.deepEqual(good(t, await cluster.ask('GET /rest/v1/uc/conferences', { token })), []);
  await cluster.world.wait(20_000);
  t.deepEqual((await runOf(started, t)).variables['why'], {
    problem: 'the call is not answered, or over',
    code: 'conflict',
  });
});

test('the outcome of a transfer whose time is over is not that of the next one', async (t) => {
  const started = await start(t, {
    components: [
      ...script(
        { type: 'refer', to: "'700021'", result: 'first', next: 'wrong', timeout: 'c1' },
        { type: 'refer', to: "'700013'", result: 'second', next: 'wrong', timeout: 'c2', failed: 'wrong' },
        { type: 'wait', seconds: '5' },
      ),
      { name: 'wrong', type: 'log', text: "'a wrong branch'" },
    ],
  });
  const { cluster, call } = started;
  cluster.world.outside.behave('acme.root.test', '700021', { answerMs: 90_000 });
  call('1001');
  await cluster.world.wait(130_000);
  t.deepEqual(
    (await runOf(started, t)).steps.map(({ component }) => component),
    ['start', 'answer', 'c0', 'c1', 'c2'],
  );
});
