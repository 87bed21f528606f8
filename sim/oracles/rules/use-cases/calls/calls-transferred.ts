/** Calls that IVR connects, and transfers: which parties talk afterwards, and what the records say. */

import { connect, endCalls, type SteadyUser, steadyUsers, uriOf } from '../kit/call.ts';
import { calls, records } from '../kit/paths.ts';
import { filterOf, type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { differing, exactly, isSame, longTextOf, over, refusing, talking } from './call-judges.ts';
import { refer, wrongRefers } from './call-transfers.ts';

const label = 'calls-transferred';
/** Its device or its provider refuses it. */
const refusedNumber = '7*486';
const modeFields: readonly (readonly string[])[] = [
  ['ivrcallid'],
  ['ivrcallid'],
  ['acallid', 'dialogid', 'ivrcallid', 'last_response'],
  ['acallid', 'bcallid', 'dialogid', 'ivrcallid', 'last_response'],
];

export const callsTransferred = useCaseOf({
  name: 'calls-transferred',
  rule: 'In a quiescent cluster a call by IVR is answered at the moment and with the fields of its response_mode, also when Y refuses, and connects X with Y; REFER by either side, named by letter or URI, connects its opponent with the number, and frees the party; a refused transfer returns to the party; REFERREPLACES connects the opponents of two calls of a party; each is shown at each front and in the records; wrong requests are refused.',
  exclusions: 'Domains with fewer than three phones that are registered and answer, and whose users limit no calls.',
  sender: '10.6.0.30',
  play: transfer,
});

async function transfer(useCase: UseCase): Promise<void> {
  const users = await steadyUsers(useCase, 3);
  const [x, y, z] = users;
  if (x === undefined || y === undefined || z === undefined) return;
  if (!(await byIvr(useCase, x, y))) return;
  await refusedByY(useCase, x, y);
  await referred(useCase, [x, y, z]);
  await replaced(useCase, [x, y, z]);
  await notAnswered(useCase, x, users.at(-1) as SteadyUser);
}

/** Returns whether the phones may call each other. */
async function byIvr(useCase: UseCase, x: SteadyUser, y: SteadyUser): Promise<boolean> {
  const wrongs = [{ to: y.number }, { response_mode: 4 }, { timeout: 0 }, { timeout: 301 }, { mode: 'x' }];
  for (const wrong of [...wrongs, { label: 'x'.repeat(257) }, { unknown: 1 }]) {
    const body = 'to' in wrong ? wrong : { from: x.number, to: y.number, ...wrong };
    const answer = await useCase.ask(calls, { method: 'POST', body });
    useCase.expect(`POST of ${JSON.stringify(wrong).slice(0, 40)}`, answer, refusing(400));
  }
  for (const mode of [3, 0, 1, 2]) {
    const own = `${label} ${mode}`;
    const body = { from: x.login, mode: 'sipuser', to: y.number, response_mode: mode, label: own };
    const sentMs = useCase.context.now();
    const answer = await useCase.ask(calls, {
      method: 'POST',
      body,
      site: mode % 2 === 0 ? useCase.here : useCase.there,
    });
    const given = (answer?.body ?? {}) as Item;
    // Others judge that calls succeed: this one may be refused by rules.
    if (mode === 3 && (given['result'] !== 'ok' || given['last_response'] !== 'SIP/2.0 200 OK')) return false;
    const tookMs = useCase.context.now() - sentMs;
    useCase.expect(`POST with response_mode ${mode}`, answer, answered(mode));
    const [least, most] = mode === 0 ? [0, 0] : [x.answerMs, x.answerMs + (mode === 3 ? y.answerMs : 0)];
    if (tookMs < least || tookMs > most + useCase.patienceMs)
      useCase.report(`POST with response_mode ${mode} was answered after ${Math.round(tookMs)} ms`);
    await useCase.context.questions.wait(x.answerMs + y.answerMs - tookMs);
    const listed = `${calls}?${filterOf({ 'opts.label': own, remoteuri: uriOf(useCase, y) })}`;
    const before = useCase.problems.length;
    const isShown = await useCase.everywhere(
      listed,
      (list) => {
        const [item, more] = (list?.body ?? []) as Item[];
        if (item === undefined || more !== undefined) return `not one call in ${longTextOf(list)}`;
        const {
          acallid = item['acallid'],
          dialogid = item['dialogid'],
          bcallid = (item['callids'] as unknown[])[1],
        } = given;
        const { 'referred-by': by } = item['opts'] as Item;
        if (by === undefined) return `no referred-by in ${longTextOf(list)}`;
        return talking(useCase, [x, y], { dialogid }, { acallid, bcallid })({ ...list, body: item } as never);
      },
      useCase.patienceMs,
    );
    const all = isShown ? undefined : await useCase.ask(listed);
    // Y was not registered just then: only the answer with mode 3 says that there is a call.
    if (mode < 3 && Array.isArray(all?.body) && all.body.length === 0) useCase.problems.length = before;
    await endCalls(useCase, [x, y]);
    if (!isShown) return false;
  }
  return true;
}

/** Y refuses: the answer to the request says so, with its Call-Id. */
async function refusedByY(useCase: UseCase, x: SteadyUser, y: SteadyUser): Promise<void> {
  const { questions } = useCase.context;
  const body = { from: x.number, to: y.number, response_mode: 3 };
  for (const method of ['POST', 'INVITE']) {
    questions.behave(useCase.domain, y.number, { reject: 486 });
    const answer = await useCase.ask(calls, { method, body });
    questions.behave(useCase.domain, y.number);
    const isByIvr = method === 'POST';
    const fields = modeFields[3]?.filter((name) => isByIvr || name !== 'ivrcallid') ?? [];
    // X was not registered just then.
    if ((answer?.body as Item | undefined)?.['result'] === 'ok')
      useCase.expect(`${method} of a number that refuses`, answer, having(fields, /^SIP\/2\.0 [4-6]\d\d /));
    await endCalls(useCase, [x, y]);
  }
}

/** All fields of the mode are there, and no more. */
function answered(mode: number): Judge {
  return having(modeFields[mode] ?? [], /^SIP\/2\.0 (1\d\d|200) /);
}

function having(fields: readonly string[], response: RegExp): Judge {
  return (answer) => {
    const body = (answer?.body ?? {}) as Item;
    const names = Object.keys(body).toSorted();
    const isRight =
      answer?.status === 200 &&
      body['result'] === 'ok' &&
      isSame(names, [...fields, 'result'].toSorted()) &&
      names.every((name) => typeof body[name] === 'string' && body[name] !== '') &&
      (body['last_response'] === undefined || response.test(String(body['last_response'])));
    return isRight ? undefined : `expected ${fields.join()}, got ${longTextOf(answer)}`;
  };
}

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];

async function referred(useCase: UseCase, [x, y, z]: Three): Promise<void> {
  const first = await connect(useCase, { from: x.number, to: y.number });
  if (first === undefined) return;
  await wrongRefers(useCase, first, z);
  const second = await refer(useCase, { call: first, pair: [x, y], by: 'a', to: z });
  if (second === undefined) return;
  for (const method of ['REFER', 'REFERREPLACES']) {
    const body = method === 'REFER' ? { by: 'a', referto: z.number } : { by: 'a', dialogid: second.dialogid };
    useCase.expect(`${method} of a call that is over`, await useCase.ask(first.path, { method, body }), over);
  }
  const third = await refer(useCase, { call: second, pair: [y, z], by: uriOf(useCase, z), to: x });
  if (third === undefined) return;
  const body = { by: 'b', referto: refusedNumber, response_mode: 3 };
  const answer = await useCase.ask(third.path, { method: 'REFER', body });
  // The platform could not reach the party that is to be referred.
  if ((answer?.body as Item | undefined)?.['result'] === 'failed') return;
  useCase.expect('REFER to a number that refuses', answer, (given) => {
    const { last_response } = (given?.body ?? {}) as Item;
    const isRefused = /^SIP\/2\.0 [3-6]\d\d /.test(String(last_response));
    return isRefused ? differing({ dialogid: third.dialogid, result: 'ok' }, given) : `got ${longTextOf(given)}`;
  });
  await useCase.context.questions.wait(x.answerMs);
  const returned = `${calls}?${filterOf({ localuri: uriOf(useCase, y), remoteuri: uriOf(useCase, x), status: 'dialog' })}`;
  await useCase.everywhere(
    returned,
    (list) => {
      const [item, more] = (list?.body ?? []) as Item[];
      if (item === undefined || more !== undefined) return `not one returned call in ${longTextOf(list)}`;
      return item['dialogid'] === third.dialogid ? 'the same dialog' : undefined;
    },
    useCase.patienceMs,
  );
  await useCase.everywhere(third.path, over, useCase.patienceMs);
  await endCalls(useCase, [x, y, z]);
}

/** The opponents of two calls of x. */
async function replaced(useCase: UseCase, [x, y, z]: Three): Promise<void> {
  const sinceMs = useCase.context.now();
  const one = await connect(useCase, { from: x.number, to: y.number });
  const other = await connect(useCase, { from: x.number, to: z.number });
  if (one === undefined || other === undefined) return;
  const body = { by: 'a', dialogid: other.dialogid };
  const answer = await useCase.ask(one.path, { method: 'REFERREPLACES', body, site: useCase.there });
  useCase.expect('REFERREPLACES', answer, exactly(200, { dialogid: one.dialogid, result: 'ok' }));
  const parties = [uriOf(useCase, y), uriOf(useCase, z)].toSorted();
  await useCase.everywhere(
    calls,
    (list) => {
      const all = (Array.isArray(list?.body) ? list.body : []) as Item[];
      const later = all.filter(({ startts }) => Number(startts) >= Math.floor(sinceMs));
      const own = later.filter(({ uris }) =>
        (uris as string[]).every((uri) => [...parties, uriOf(useCase, x)].includes(uri)),
      );
      const isRight =
        own.length === 1 && own[0]?.['status'] === 'dialog' && isSame((own[0]['uris'] as string[]).toSorted(), parties);
      return isRight
        ? undefined
        : `after REFERREPLACES ${own.map(({ uris, status }) => `${uris} ${status}`).join('; ')}`;
    },
    Math.max(y.answerMs, z.answerMs) + useCase.patienceMs,
  );
  await endCalls(useCase, [x, y, z]);
}

/** A side that has not answered cannot be transferred. */
async function notAnswered(useCase: UseCase, x: SteadyUser, slow: SteadyUser): Promise<void> {
  if (slow.answerMs < 1_000) return;
  const body = { from: x.number, to: slow.number, response_mode: 2 };
  const started = await useCase.ask(calls, { method: 'INVITE', body });
  const ringingMs = useCase.context.now();
  const { dialogid } = (started?.body ?? {}) as Item;
  const path = `${calls}/${String(dialogid)}`;
  const { status, inviteid } = ((await useCase.ask(path))?.body ?? {}) as Item;
  if (status !== 'forking') return;
  const refused = await useCase.ask(path, { method: 'REFER', body: { by: 'a', referto: x.number } });
  // The store may not know yet that it was answered meanwhile.
  if (useCase.context.now() - ringingMs > slow.answerMs / 2) return;
  useCase.expect('REFER of a side that has not answered', refused, refusing(409));
  const end = await useCase.ask(path, { method: 'DELETE', site: useCase.there });
  useCase.expect('DELETE of a call that rings', end, exactly(200, { dialogid, result: 'ok' }));
  const fields = { inviteid, answerts: null, talkms: 0 };
  const record = `${records}/${String(inviteid)}`;
  await useCase.everywhere(record, (answer) => differing(fields, answer), useCase.patienceMs);
}
