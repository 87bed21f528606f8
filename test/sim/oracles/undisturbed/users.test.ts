/** The oracle of the calls at once of SIP users. */
import { usersCalls } from '../../../../sim/oracles/rules/routes/users-calls.ts';
import { phonesOf } from '../../../../sim/outside/population.ts';
import { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const acme = 'acme.root.test';

/** 1001 may have one call. */
const map = new ClusterMap({
  ...defaultMap.topology,
  domains: defaultMap.topology.domains.map((domain) => ({
    ...domain,
    sipusers: domain.sipusers.map((user) =>
      domain.name === acme && user.login === '1001' ? { ...user, trunks: 1 } : user,
    ),
  })),
});
const [gate] = map.instancesOf('sg');
const edge = gate === undefined ? '' : map.endpointOf(gate);

function phone(number: string): string {
  return phonesOf(map).find(({ domain, user }) => domain === acme && user.phonenumber === number)?.endpoint ?? '';
}

class Scene {
  readonly trial = new Trial(usersCalls, { map }).pass(60_000);

  /** A phone calls a number; the platform answers with these, one second after the other. */
  dial(from: string, number: string, callid: string, ...statuses: readonly number[]): this {
    this.#say(phone(from), edge, { kind: 'request', uri: `sip:${number}@${acme}`, callid });
    for (const status of statuses) {
      this.#say(edge, phone(from), { kind: 'response', status, reason: 'R', callid, inviteid: `i${callid}` });
      this.trial.pass(1_000);
    }
    return this;
  }

  /** The platform calls a phone for a call, and it answers. */
  ring(to: string, of: string, status = 200): this {
    const about = { callid: `${of}-b`, inviteid: `i${of}` };
    this.#say(edge, phone(to), { kind: 'request', uri: `sip:${to}@${acme}`, ...about });
    this.#say(phone(to), edge, { kind: 'response', status, ...about });
    return this;
  }

  refer(callid: string): this {
    return this.#say(phone('1001'), edge, { kind: 'request', method: 'REFER', callid });
  }

  over(of: string): this {
    const event = { class: 'callevents', name: 'dlg_end', domains: [acme], objects: [], data: { inviteid: `i${of}` } };
    this.trial.send({ type: 'stream.published', body: { epoch: 1, items: [{ n: 1, event }] } });
    return this;
  }

  wait(ms: number): this {
    this.trial.pass(ms);
    return this;
  }

  fault(): this {
    this.trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
    this.trial.see('fault.mended', { fault: 1, verb: 'cut', args: [], isRefused: false });
    return this;
  }

  #say(from: string, to: string, message: object): this {
    const common = { method: 'INVITE', from: { uri: '', tag: 'a' }, to: { uri: '' }, cseq: 1, via: [] };
    this.trial.see('outside.sent', { from, to, message: { ...common, ...message } as unknown as SipMessage });
    return this;
  }
}

/** 1001 has a call that was answered. */
const busy = () => new Scene().dial('1001', '1002', 'x', 180, 200).wait(5_000);

test('users-calls: passes for a user whose second call is refused, or begins after the first', (t) => {
  const { trial } = busy().dial('1001', '1003', 'y', 403).over('x').wait(5_000).dial('1001', '1003', 'z', 180, 200);
  t.not(trial.verdict, 'fail', trial.failures.join());
  const other = new Scene().dial('1001', '1002', 'x', 403).dial('1001', '1002', 'y', 180, 200);
  t.is(other.trial.verdict, 'pass', other.trial.failures.join());
});

test('users-calls: fails for a second call of a user who may have one, as the caller and as the callee', (t) => {
  t.regex(busy().dial('1001', '1003', 'y', 180).trial.failures.join(), /may have 1 calls, and has 1 when iy is taken/);
  t.regex(busy().ring('1001', 'y', 180).trial.failures.join(), /may have 1 calls, and has 1 when iy is taken/);
  const called = new Scene().ring('1001', 'x').wait(5_000).ring('1001', 'y', 180);
  t.regex(called.trial.failures.join(), /has 1 when iy is taken/);
});

test('users-calls: judges no call at the same moment, after a transfer or in a disturbed cluster', (t) => {
  const soon = new Scene().dial('1001', '1002', 'x', 200).ring('1001', 'y', 180);
  t.is(soon.trial.verdict, 'unknown');
  t.is(busy().refer('x').ring('1001', 'y', 180).trial.verdict, 'unknown');
  t.is(busy().fault().ring('1001', 'y', 180).trial.verdict, 'unknown');
});

test('users-calls: fails for a user without a call who is refused for long', (t) => {
  const caller = busy().over('x').wait(6_000).dial('1001', '1003', 'y', 403).wait(6_000).dial('1001', '1003', 'z', 403);
  t.regex(caller.trial.failures.join(), /has had none for \d+ ms, and is refused: 403/);
  const callee = busy().over('x').wait(6_000).dial('1002', '1001', 'y', 486).wait(6_000).dial('1002', '1001', 'z', 486);
  t.regex(callee.trial.failures.join(), /has had none for \d+ ms, and is refused: 486/);
});

test('users-calls: a user who is refused while it has a call, or by its device, may be refused', (t) => {
  const going = busy().dial('1001', '1003', 'y', 403).wait(6_000).dial('1001', '1003', 'z', 403);
  t.is(going.trial.verdict, 'unknown');
  const rung = new Scene();
  for (const id of ['x', 'y'])
    rung.dial('1002', '1001', id, 180).ring('1001', id, 486).dial('1002', '1001', id, 486).wait(9_000);
  t.not(rung.trial.verdict, 'fail', rung.trial.failures.join());
});
