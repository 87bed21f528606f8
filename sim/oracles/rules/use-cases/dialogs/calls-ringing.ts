/** A call before its answer: how it is shown, what the verbs do with it, and how it is answered, diverted and ended. */

import { differing, exactly, isSame, longTextOf, refusing, talking } from '../calls/call-judges.ts';
import { directed, directedUsers, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, records, sipUsers } from '../kit/paths.ts';
import { filterOf, type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { begin, legAt, type PhoneCall } from './phone-calls.ts';

const label = 'calls-ringing';
const ringing = { ringMs: 0 };
/** The clocks of two nodes differ, and an answer takes a moment. */
const roundMs = 1_500;
/** Users let their phones ring longer. */
const slowMs = 15_000;

type Pair = readonly [SteadyUser, SteadyUser];

export const callsRinging = useCaseOf({
  name: 'calls-ringing',
  rule: 'In a quiescent cluster a call is shown as `init` while X rings and as `forking` while a device of Y does, with its legs and the time for which they may ring; verbs that need an answer are refused with 409; NOTIFY has the device answer, REFER by side b transfers the caller, and DELETE ends the call. What X of a call request changes in its media while Y rings, Y knows when it answers.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.0.42',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const { questions } = useCase.context;
    questions.behave(useCase.domain, y.number, ringing);
    const begunMs = useCase.context.now();
    const call = await begin(useCase, x, y.number, 'forking');
    if (call === undefined) return;
    await shown(useCase, call, [x, y], begunMs);
    await refused(useCase, call);
    // What a callstore has missed, it may hear of when the phone has rung for as long as its user says.
    if (useCase.context.now() - begunMs > slowMs) return;
    await answered(useCase, call, [x, y]);
    await diverted(useCase, [x, y, z]);
    await heldEarly(useCase, [x, y]);
    await originated(useCase, [x, y]);
  },
});

async function shown(useCase: UseCase, call: PhoneCall, [x, y]: Pair, begunMs: number): Promise<void> {
  const { path, dialogid, inviteid, acallid, bcallid } = call;
  const { opts } = ((await useCase.ask(`${sipUsers}/${y.id}`))?.body ?? {}) as { opts?: Item };
  const ringMs = Number(opts?.['calltimesec']) * 1_000;
  const [from, to] = [uriOf(useCase, x), uriOf(useCase, y)];
  await useCase.everywhere(path, (answer) => {
    const { legs = [], startts } = (answer?.body ?? {}) as { legs?: Item[]; startts?: number };
    const left = Number(legs[1]?.['expirets']);
    const wrong = differing(
      {
        dialogid,
        inviteid,
        acallid,
        status: 'forking',
        esgdlg: '',
        opts: {},
        localuri: from,
        remoteuri: to,
        uris: [from, to],
        callids: [acallid, bcallid],
        legs: [
          { callid: acallid, expirets: 'undefined', localuri: to, remoteuri: from, side: 'a' },
          { callid: bcallid, expirets: left, localuri: from, remoteuri: to, side: 'b' },
        ],
      },
      answer,
    );
    if (wrong !== undefined || !useCase.areClocksRight) return wrong;
    const nowMs = useCase.context.now();
    if (Number(startts) < begunMs - roundMs || Number(startts) > nowMs + roundMs) return `startts ${startts}`;
    const isLeft = left <= ringMs + roundMs && left >= ringMs - (nowMs - begunMs) - roundMs;
    return ringMs === 0 || isLeft ? undefined : `expirets ${left}, of ${ringMs}`;
  });
}

/** What needs an answer, or a party that is in the call. */
async function refused(useCase: UseCase, { path, dialogid }: PhoneCall): Promise<void> {
  const early: [string, Item][] = [
    ['NOTIFY', { to: 'b', event: 'hold' }],
    ['NOTIFY', { to: 'a', event: 'talk' }],
    ['SEND_DTMF', { to: 'b', dtmf: '1' }],
    ['SEND_DTMF', { to: 'a', dtmf: '1' }],
    ['SETUP_RECORD', { action: 'start' }],
    ['SETUP_ASR', { side: 'b', action: 'start' }],
    ['SWITCHCONF', {}],
  ];
  for (const [method, body] of early) {
    const answer = await useCase.ask(path, { method, body, site: useCase.there });
    useCase.expect(`${method} ${JSON.stringify(body)} of a call that rings`, answer, refusing(409));
  }
  const bound = await useCase.ask(path, { method: 'SETUP_BINDINGS', body: { add: [label] } });
  const done = exactly(200, { dialogid, result: 'ok', bindings: [label] });
  useCase.expect('SETUP_BINDINGS of a call that rings', bound, done);
  await useCase.everywhere(path, withBinding({ status: 'forking' }), slowMs);
}

/** The call has its binding still. */
function withBinding(fields: Item): Judge {
  return (answer) => {
    const { opts } = (answer?.body ?? {}) as { opts?: Item };
    const isBound = isSame(opts?.['bindings'], [label]);
    return differing(fields, answer) ?? (isBound ? undefined : `bindings of ${longTextOf(answer)}`);
  };
}

/** NOTIFY has the phone answer. */
async function answered(useCase: UseCase, call: PhoneCall, [x, y]: Pair): Promise<void> {
  const { path, dialogid, inviteid, acallid, bcallid } = call;
  const told = await useCase.ask(path, { method: 'NOTIFY', body: { to: 'b', event: 'talk' }, site: useCase.there });
  useCase.expect('NOTIFY talk of a call that rings', told, exactly(200, { dialogid, result: 'ok' }));
  const isTalking = talking(useCase, [x, y], { dialogid, inviteid }, { acallid, bcallid });
  await useCase.everywhere(path, (it) => isTalking(it) ?? withBinding({})(it), useCase.patienceMs);
  useCase.context.questions.hangUp(call.placed);
  const end = { type: 'bye', status: null, reason: '', dialogid, acallid };
  await useCase.everywhere(`${records}/${inviteid}`, (answer) => differing(end, answer), useCase.patienceMs);
}

/** The phone that is called has the caller transferred. */
async function diverted(useCase: UseCase, [x, y, z]: readonly [...Pair, SteadyUser]): Promise<void> {
  const call = await begin(useCase, x, y.number, 'forking');
  if (call === undefined) return;
  // What replaces the call names a dialog: the phone knows it when it has heard that the other one rings.
  await useCase.context.questions.wait(roundMs);
  const body = { by: 'b', referto: z.number, response_mode: 3 };
  const answer = await useCase.ask(call.path, { method: 'REFER', body, site: useCase.there });
  const given = (answer?.body ?? {}) as Record<string, string>;
  const right = { dialogid: call.dialogid, result: 'ok', last_response: 'SIP/2.0 200 OK' };
  const isDone = useCase.expect('REFER by the side that rings', answer, (it) => differing(right, it));
  if (!isDone) return;
  const { referdialogid = '', acallid, bcallid } = given;
  const judge = talking(useCase, [x, z], { dialogid: referdialogid }, { acallid, bcallid });
  await useCase.everywhere(`${calls}/${referdialogid}`, judge, useCase.patienceMs);
  const end = { type: 'cancel', status: 487, reason: 'Request Terminated', answerts: null, talkms: 0 };
  await useCase.everywhere(`${records}/${call.inviteid}`, (it) => differing(end, it), useCase.patienceMs);
  useCase.expect('the phone that rang', undefined, () =>
    useCase.callsOf(y).length === 0 ? undefined : `has ${JSON.stringify(useCase.callsOf(y))}`,
  );
  await useCase.ask(`${calls}/${referdialogid}`, { method: 'DELETE' });
}

/** X of a call request has answered, and holds the call while Y rings. */
async function heldEarly(useCase: UseCase, [x, y]: Pair): Promise<void> {
  const { questions } = useCase.context;
  questions.behave(useCase.domain, x.number, directed);
  questions.behave(useCase.domain, y.number, ringing);
  const started = await useCase.ask(calls, {
    method: 'INVITE',
    body: { from: x.number, to: y.number, response_mode: 0 },
  });
  if (started?.status !== 200) return;
  const rings = () => useCase.callsOf(y).some(({ state }) => state === 'ringing');
  const wrong = await questions.eventually(slowMs, () => (rings() ? [] : ['Y does not ring']));
  const [own] = useCase.callsOf(x);
  const found = await useCase.ask(calls, { method: 'LOOKUP', body: { callid: own?.callid } });
  const [dialogid] = (found?.status === 200 ? found.body : []) as string[];
  if (wrong.length > 0 || own === undefined || dialogid === undefined) return;
  const path = `${calls}/${dialogid}`;
  const held = legAt(useCase, x, own.callid);
  questions.hold(held, true);
  await questions.wait(roundMs);
  await useCase.ask(path, { method: 'NOTIFY', body: { to: 'b', event: 'talk' } });
  for (const is of [true, false]) {
    const isSo = () => {
      const [only, more] = useCase.callsOf(y);
      return more === undefined && only?.state === 'talking' && only.isHeld === is;
    };
    const late = await questions.eventually(useCase.quickMs, () =>
      isSo() ? [] : [JSON.stringify(useCase.callsOf(y))],
    );
    useCase.expect(`Y, which X ${is ? 'held before Y answered' : 'holds no more'}`, undefined, () => late[0]);
    questions.hold(held, false);
  }
  await useCase.ask(path, { method: 'DELETE' });
  await useCase.everywhere(path, refusing(404), useCase.patienceMs);
}

/** X of a call request rings; a callerid and a name are shown to it, and to Y its own. */
async function originated(useCase: UseCase, [x, y]: Pair): Promise<void> {
  const { questions } = useCase.context;
  for (const [index, method] of ['INVITE', 'POST'].entries()) {
    const isNumbered = (useCase.drawn + index) % 2 === 0;
    questions.behave(useCase.domain, x.number, { ringMs: 0 });
    questions.behave(useCase.domain, y.number, directed);
    const own = { ...(isNumbered && { callerid: '4711' }), callername: 'Calls Ringing' };
    const body = { from: x.number, to: y.number, response_mode: 0, timeout: 120, label: `${label} ${method}`, ...own };
    const started = await useCase.ask(calls, { method, body });
    if (started?.status !== 200) return;
    await questions.wait(roundMs);
    const listed = `${calls}?${filterOf({ 'opts.label': body.label })}`;
    const [from, to] = [uriOf(useCase, x), uriOf(useCase, y)];
    let found: Item | undefined;
    const judge: Judge = (list) => {
      const [item, more] = (Array.isArray(list?.body) ? list.body : []) as Item[];
      if (item === undefined || more !== undefined) return `not one call in ${longTextOf(list)}`;
      found = item;
      const acallid = item['acallid'];
      // IVR is side a of a call of its own.
      const isDirect = method === 'INVITE';
      const legs = [{ callid: acallid, expirets: 'undefined', localuri: from, remoteuri: from, side: 'a' }];
      const expected = isDirect
        ? { status: 'init', callids: [acallid], legs, localuri: from, remoteuri: to, uris: [from, to] }
        : { status: 'forking', remoteuri: from };
      return differing(expected, list && { ...list, body: item });
    };
    const [seen] = useCase.callsOf(x);
    const isThere = await useCase.everywhere(listed, judge, useCase.patienceMs);
    useCase.expect(`what X sees of ${method}`, undefined, () =>
      (!isNumbered || seen?.with === `sip:4711@${useCase.domain}`) && seen?.name === own.callername
        ? undefined
        : JSON.stringify(seen),
    );
    if (!isThere || found === undefined) return;
    const path = `${calls}/${String(found['dialogid'])}`;
    if (method === 'INVITE') {
      const sent = await useCase.ask(path, { method: 'SEND_DTMF', body: { to: 'a', dtmf: '1' } });
      useCase.expect('SEND_DTMF before X has answered', sent, refusing(409));
    }
    const end = await useCase.ask(path, { method: 'DELETE', site: useCase.there });
    const dialogid = found['dialogid'];
    useCase.expect(`DELETE while X rings by ${method}`, end, exactly(200, { dialogid, result: 'ok' }));
    const record = { dialogid, type: 'call_terminate', status: 480, answerts: null, talkms: 0 };
    const judged: Judge = (answer) => differing(record, answer);
    await useCase.everywhere(`${records}/${String(found['inviteid'])}`, judged, useCase.patienceMs);
    useCase.expect(`X after the end of ${method}`, undefined, () =>
      useCase.callsOf(x).length === 0 ? undefined : JSON.stringify(useCase.callsOf(x)),
    );
  }
}
