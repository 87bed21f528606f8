/** Rules of SIP at the edges and in conferences: each passes, fails, and does not judge while something is broken. */

import { registersTaken } from '../../../../sim/oracles/rules/registrations/registers-taken.ts';
import { participantsHold } from '../../../../sim/oracles/rules/shown/participants-hold.ts';
import { answersAcknowledged } from '../../../../sim/oracles/rules/sip/answers-acknowledged.ts';
import { answersRepeated } from '../../../../sim/oracles/rules/sip/answers-repeated.ts';
import { cancelsFollow } from '../../../../sim/oracles/rules/sip/cancels-follow.ts';
import type { Envelope } from '../../../../src/model/cluster/envelope.ts';
import type { Media, SipMessage } from '../../../../src/model/sip/message.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const phone = '10.0.0.1:5060';
const [b2b, conf] = [defaultMap.instancesOf('b2b')[0]?.address ?? '', defaultMap.instancesOf('conf')[0]?.address ?? ''];

function messageOf(message: object): SipMessage {
  const party = { uri: 'sip:1001@acme.root.test' };
  return { callid: 'l1', cseq: 1, from: party, to: party, via: [], ...message } as unknown as SipMessage;
}

/** Between the phone and the edge. */
function outside(trial: Trial, from: string, message: object, isLost = false): Trial {
  const to = from === phone ? edge : phone;
  return trial.see('outside.sent', { from, to, message: messageOf(message), isLost });
}

interface Repeated {
  readonly isAgain?: boolean;
  readonly isLost?: boolean;
  readonly acks?: number;
  readonly ends?: boolean;
  readonly isDelayed?: boolean;
}

/** A device answers a call, and answers again, because the ACK was lost. */
function repeated({ isAgain = true, isLost = false, acks = 2, ends = false, isDelayed = false }: Repeated): Trial {
  const trial = new Trial(answersAcknowledged).pass(60_000);
  const answer = { method: 'INVITE', kind: 'response', status: 200 };
  const ack = { method: 'ACK', kind: 'request' };
  if (isDelayed) trial.see('fault.inflicted', { fault: 1, verb: 'delayOutside', args: [500] });
  outside(trial, phone, answer).pass(20);
  if (acks > 0) outside(trial, edge, ack, true).pass(500);
  if (isAgain) outside(trial, phone, answer, isLost).pass(20);
  if (acks > 1) outside(trial, edge, ack).pass(20);
  if (ends) outside(trial, edge, { method: 'BYE', kind: 'request' });
  return trial.pass(5_000);
}

for (const [what, verdict, is] of [
  ['is acknowledged again', 'pass', {}],
  ['is not acknowledged again', 'fail', { acks: 1 }],
  ['is lost', 'unknown', { acks: 1, isLost: true }],
  ['does not come', 'unknown', { acks: 1, isAgain: false }],
  ['has not been acknowledged before', 'unknown', { acks: 0 }],
  ['comes while the call is ended', 'unknown', { acks: 1, ends: true }],
  ['comes while messages are late', 'unknown', { acks: 1, isDelayed: true }],
] as const) {
  test(`answers-acknowledged: an answer that comes again ${what}: ${verdict}`, (t) => {
    t.is(repeated(is).verdict, verdict);
  });
}

interface Resent {
  readonly method?: string;
  readonly isLost?: boolean;
  readonly answers?: number;
  readonly afterMs?: number;
  readonly isDelayed?: boolean;
}

/** A device sends a request again, because the answer was lost. */
function resent({ method = 'BYE', isLost = false, answers = 2, afterMs = 500, isDelayed = false }: Resent): Trial {
  const trial = new Trial(answersRepeated).pass(60_000);
  const request = { method, kind: 'request' };
  const answer = { method, kind: 'response', status: 200 };
  if (isDelayed) trial.see('fault.inflicted', { fault: 1, verb: 'delayOutside', args: [500] });
  outside(trial, phone, request).pass(20);
  if (answers > 0) outside(trial, edge, answer, true);
  outside(trial.pass(afterMs), phone, request, isLost).pass(20);
  if (answers > 1) outside(trial, edge, answer);
  return trial.pass(5_000);
}

for (const [what, verdict, is] of [
  ['is answered again', 'pass', {}],
  ['is not answered again', 'fail', { answers: 1 }],
  ['is lost', 'unknown', { answers: 1, isLost: true }],
  ['has not been answered before', 'unknown', { answers: 0 }],
  ['is an INVITE', 'unknown', { answers: 1, method: 'INVITE' }],
  ['comes when its answer is not kept any more', 'unknown', { answers: 1, afterMs: 33_000 }],
  ['comes while messages are late', 'unknown', { answers: 1, isDelayed: true }],
] as const) {
  test(`answers-repeated: a request that comes again ${what}: ${verdict}`, (t) => {
    t.is(resent(is).verdict, verdict);
  });
}

for (const [where, to, verdict] of [
  ['where its INVITE went', b2b, 'pass'],
  ['elsewhere', conf, 'fail'],
] as const) {
  test(`cancels-follow: a CANCEL that goes ${where}: ${verdict}`, (t) => {
    const trial = new Trial(cancelsFollow).pass(60_000);
    const sent = (address: string, method: string) => {
      const body = messageOf({ kind: 'request', method });
      const envelope = { id: method, kind: 'tell', type: 'sip', from: gate?.address ?? '', to: address, hops: 0, body };
      trial.see('envelope.sent', { node: 'n1', envelope: envelope as unknown as Envelope });
    };
    sent(b2b, 'INVITE');
    sent(to, 'CANCEL');
    t.is(trial.verdict, verdict);
  });
}

interface Registered {
  readonly status?: number;
  /** The numbers of its Call-Id that were sent before. */
  readonly earlier?: readonly number[];
  /** How long ago its user was removed. */
  readonly changedMs?: number;
  /** How many changes copies have lost since. */
  readonly unheard?: number;
}

function registered({ status = 200, earlier = [], changedMs, unheard = 0 }: Registered): Trial {
  const trial = new Trial(registersTaken).pass(60_000);
  const register = { method: 'REGISTER', cseq: 3 };
  for (const cseq of earlier) outside(trial, phone, { ...register, kind: 'request', cseq });
  if (changedMs !== undefined) {
    const request = { id: 1, site: 'hq', client: 'one', sent: undefined };
    trial.see('request.received', { ...request, method: 'DELETE', target: '/rest/v1/uc/sipusers/1' });
    trial.pass(changedMs).fired = { 'data.unheard': unheard };
  }
  outside(trial, phone, { ...register, kind: 'request' }).pass(50);
  return outside(trial, edge, { ...register, kind: 'response', status }).pass(5_000);
}

for (const [what, verdict, is] of [
  ['is accepted', 'pass', {}],
  ['is asked for credentials', 'pass', { status: 401 }],
  ['comes after earlier ones, and is late', 'fail', { status: 500, earlier: [1, 2] }],
  ['is late', 'fail', { status: 500 }],
  ['comes after a later one, and is late', 'unknown', { status: 500, earlier: [4] }],
  ['is late while its user is removed', 'unknown', { status: 500, changedMs: 0 }],
  ['is late some seconds after its user was removed', 'fail', { status: 500, changedMs: 6_000 }],
  // Seed 45102 of the campaign.
  ['is late where a copy has lost the removal', 'unknown', { status: 500, changedMs: 6_000, unheard: 1 }],
] as const) {
  test(`registers-taken: a REGISTER ${what}: ${verdict}`, (t) => {
    t.is(registered(is).verdict, verdict);
  });
}

/** A leg of a conference changes its media, and a participant comes to a state. */
function held(medias: readonly Media[], states: readonly string[], { status = 200, isDisturbed = false } = {}): Trial {
  const trial = new Trial(participantsHold).pass(60_000);
  for (const [n, media] of medias.entries()) {
    const offer = { method: 'INVITE', cseq: n + 1, to: { uri: 'sip:5501@acme.root.test', tag: 't' }, media };
    trial.send({ type: 'sip', kind: 'tell', from: b2b, to: conf, body: messageOf({ ...offer, kind: 'request' }) });
    const state = states[n];
    const before = states[n - 1] ?? 'active';
    if (state !== undefined)
      trial.see('entity.state', { owner: conf, machine: 'participant', key: 'p1', state, before });
    const answer = messageOf({ ...offer, kind: 'response', status });
    trial.send({ type: 'sip', kind: 'tell', from: conf, to: b2b, body: answer });
    trial.pass(100);
    if (isDisturbed) trial.see('instance.status', { instance: conf, status: 'stopped' });
    trial.pass(5_000);
  }
  return trial;
}

for (const [what, verdict, trial] of [
  ['sends only, and is held', 'pass', () => held(['sendonly'], ['held'])],
  ['sends only, and stays active', 'fail', () => held(['sendonly'], [])],
  ['is inactive, and stays active', 'fail', () => held(['inactive'], [])],
  ['takes only, and stays active', 'unknown', () => held(['recvonly'], [])],
  ['holds and resumes', 'pass', () => held(['sendonly', 'sendrecv'], ['held', 'active'])],
  ['holds and resumes, and stays held', 'fail', () => held(['sendonly', 'sendrecv'], ['held'])],
  ['sends only, and leaves', 'unknown', () => held(['sendonly'], ['leaving'])],
  ['is refused', 'unknown', () => held(['sendonly'], [], { status: 491 })],
  ['sends only while the instance stops', 'unknown', () => held(['sendonly'], [], { isDisturbed: true })],
] as const) {
  test(`participants-hold: a leg ${what}: ${verdict}`, (t) => {
    const { verdict: judged, failures } = trial();
    t.is(judged, verdict, failures.join());
  });
}
