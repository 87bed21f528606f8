/** Conferences and calls by IVR in the whole system: phones outside, gates, b2b, conf, ivr, mware and the fronts are real. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, FrontCluster } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

interface World {
  readonly cluster: FrontCluster;
  ask<T>(line: string, json?: unknown): Promise<T>;
}

interface Result {
  readonly result: string;
  readonly dialogid: string;
  readonly referdialogid?: string;
  readonly ivrcallid?: string;
  readonly last_response?: string;
  readonly confid: string;
}

const calls = '/rest/v1/uc/calls';
const conferences = '/rest/v1/uc/conferences';

async function start(t: ExecutionContext): Promise<World> {
  const cluster = await FrontCluster.start();
  await cluster.world.wait(2_000);
  const token = await cluster.token(acmeAdmin, 'north');
  const ask = async <T>(line: string, json?: unknown) => {
    const { status, text, body } = await cluster.ask(line, { at: 'north', token, ...(json !== undefined && { json }) });
    t.is(status, 200, `${line}: ${text}`);
    return body as T;
  };
  return { cluster, ask };
}

function talk({ ask }: World, from: string, to: string): Promise<Result> {
  return ask<Result>(`POST ${calls}`, { from, to, response_mode: 3 });
}

/** The parties of each call, in the order in which the calls began. */
async function pairs({ ask }: World): Promise<string[]> {
  const all = await ask<{ localuri: string; remoteuri: string; status: string }[]>(`GET ${calls}`);
  const user = (uri: string) => /sip:([^@]*)@/.exec(uri)?.[1];
  return all.map(({ localuri, remoteuri, status }) => `${user(localuri)} ${user(remoteuri)} ${status}`);
}

test('X is called and connected to Y, Y is transferred to Z, and returned when the next transfer fails', async (t) => {
  const world = await start(t);
  const { cluster, ask } = world;
  const first = await talk(world, '1001', '1002');
  t.like(first, { result: 'ok', last_response: 'SIP/2.0 200 OK' });
  await cluster.world.wait(1_000);
  t.deepEqual(await pairs(world), ['1001 1002 dialog']);
  const moved = await ask<Result>(`REFER ${calls}/${first.dialogid}`, { by: 'a', referto: '1003', response_mode: 3 });
  t.like(moved, { result: 'ok', last_response: 'SIP/2.0 200 OK' });
  await cluster.world.wait(1_000);
  t.deepEqual(await pairs(world), ['1002 1003 dialog']);
  // 1009 is always busy; 1002, which asked for the transfer, gets its opponent back.
  const failed = await ask<Result>(`REFER ${calls}/${moved.referdialogid}`, {
    by: 'a',
    referto: '1009',
    response_mode: 3,
  });
  t.like(failed, { result: 'ok', last_response: 'SIP/2.0 486 Busy Here' });
  await cluster.world.wait(6_000);
  t.deepEqual(await pairs(world), ['1003 1002 dialog']);
});

test('an X that is busy, silent, or rings for ever has the result that says so', async (t) => {
  const { ask } = await start(t);
  const result = async (from: string) => {
    const answer = await ask<Result>(`POST ${calls}`, { from, to: '1002', timeout: 5, response_mode: 3 });
    t.truthy(answer.ivrcallid);
    return answer.result;
  };
  t.is(await result('1009'), 'failed');
  t.is(await result('1008'), 'no_answer');
  t.is(await result('70013'), 'timeout');
});

test('a call becomes a conference, which calls in, is transferred, is found, and ends', async (t) => {
  const world = await start(t);
  const { cluster, ask } = world;
  const { dialogid } = await talk(world, '1001', '1002');
  const { confid } = await ask<Result>(`SWITCHCONF ${calls}/${dialogid}`);
  const people = async () => {
    const all = await ask<{ ruri: string; state: string }[]>(`GET ${conferences}/${confid}/participants`);
    return all.map(({ ruri, state }) => `${/\d+/.exec(ruri)?.[0]} ${state}`).sort();
  };
  await cluster.world.wait(3_000);
  t.deepEqual(await people(), ['1001 active', '1002 active']);
  await ask(`POST ${conferences}/${confid}/participants`, { to: '1004' });
  await cluster.world.wait(6_000);
  t.deepEqual(await people(), ['1001 active', '1002 active', '1004 active']);
  const [called = ''] = await ask<string[]>(`LOOKUP ${calls}`, { from: '1004' });
  t.deepEqual(
    await ask(`LOOKUP ${conferences}`, { dialogid: called }),
    [confid],
    'the participant that it called is in it',
  );
  const [caller = ''] = await ask<string[]>(`LOOKUP ${calls}`, { from: '1001' });
  t.deepEqual(await ask(`LOOKUP ${conferences}`, { dialogid: caller }), [confid]);
  await ask(`REFER ${calls}/${caller}`, { by: 'a', referto: '1005', response_mode: 3 });
  await cluster.world.wait(3_000);
  t.deepEqual(await people(), ['1002 active', '1004 active', '1005 active']);
  await ask(`DELETE ${conferences}/${confid}`);
  await cluster.world.wait(6_000);
  t.deepEqual(await ask(`GET ${conferences}`), []);
  t.deepEqual(await pairs(world), []);
});

test('a room that is called from two sites is one conference, and calls are moved into it', async (t) => {
  const world = await start(t);
  const { cluster, ask } = world;
  await talk(world, '1001', '5501');
  await talk(world, '1005', '5501');
  const [conference, ...others] = await ask<Result[]>(`GET ${conferences}`);
  t.deepEqual(others, []);
  const { dialogid } = await talk(world, '1002', '1003');
  await ask(`REFERCONF ${calls}/${dialogid}`, { by: 'a', confid: conference?.confid });
  await cluster.world.wait(3_000);
  t.deepEqual((await pairs(world)).sort(), ['1001 5501 dialog', '1003 5501 dialog', '1005 5501 dialog']);
  const found = await ask<string[]>(`LOOKUP ${conferences}`, { sipuserlogin: '1003' });
  t.deepEqual(found, [conference?.confid]);
});

test('two rooms are never connected, by any command; their participants stay', async (t) => {
  const world = await start(t);
  const { cluster, ask } = world;
  await talk(world, '1001', '5501');
  await talk(world, '1002', '5502');
  const [one, other] = await ask<{ confid: string }[]>(`GET ${conferences}`);
  const untouched = async (what: string) => {
    await cluster.world.wait(10_000);
    t.deepEqual((await pairs(world)).sort(), ['1001 5501 dialog', '1002 5502 dialog'], what);
  };
  await untouched('before');
  await ask(`POST ${conferences}/${one?.confid}/participants`, { to: '5502' });
  await ask(`POST ${conferences}/${other?.confid}/participants`, { to: `conf-${one?.confid}` });
  await untouched('a conference called the other one');
  t.like(await talk(world, '5501', '5502'), { result: 'ok', last_response: 'SIP/2.0 482 Loop Detected' });
  await untouched('after a call between the rooms');
  const [dialogid] = await ask<string[]>(`LOOKUP ${calls}`, { from: '1001' });
  const refer = { by: 'a', referto: '5502', response_mode: 3 };
  const moved = await ask<Result>(`REFER ${calls}/${dialogid}`, refer);
  t.like(moved, { last_response: 'SIP/2.0 482 Loop Detected' });
  await cluster.world.wait(10_000);
  t.deepEqual((await pairs(world)).sort(), ['1002 5502 dialog', '5501 1001 dialog'], '1001 is called back');
});
