/**
 * The world outside, and a platform that a test plays: a user agent at each gate, which registers phones with the right
 * password and does with calls as the test says. What is sent is frozen: a receiver can not change it for others.
 */
import assert from 'node:assert/strict';
import { OutsideWorld, type OutsideWorldOptions } from '../../../sim/outside/outside-world.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { Counters } from '../../../src/actors/counters.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { matches } from '../../../src/model/sip/digest.ts';
import type { SipMessage, SipRequest } from '../../../src/model/sip/message.ts';
import { hostOf, userOf } from '../../../src/model/sip/uri.ts';
import { type LegReport, type OutgoingCall, UserAgent } from '../../../src/sip/user-agent.ts';
import { defaultMap } from '../../kit/maps.ts';
import { silentLog } from '../../kit/quiet.ts';

export interface Heard {
  readonly gate: string;
  readonly leg: string;
  readonly atMs: number;
  readonly report: LegReport;
}

export interface SceneOptions extends Partial<Pick<OutsideWorldOptions, 'nodes' | 'isInhabited'>> {
  readonly map?: ClusterMap;
  readonly seed?: number;
  /** What the platform does with a call when it hears of it. */
  readonly onReport?: (heard: Heard, gate: UserAgent) => void;
}

export const acme = 'acme.root.test';
export const nonce = 'once';

export class Scene {
  readonly clock = new VirtualClock(0);
  readonly world: OutsideWorld;
  readonly heard: Heard[] = [];
  /** All that was sent outside. */
  readonly sent: { from: string; to: string; message: SipMessage; atMs: number }[] = [];
  /** What a registrar answers to a REGISTER with the right credentials; default: 200 for what was asked. */
  grant: (request: SipRequest) => { status: number; expires?: number } = ({ expires = 0 }) => ({
    status: 200,
    expires,
  });
  readonly #map: ClusterMap;
  readonly #gates = new Map<string, UserAgent>();

  constructor({ map = defaultMap, seed = 1, onReport, ...options }: SceneOptions = {}) {
    const { clock } = this;
    this.#map = map;
    this.world = new OutsideWorld({
      ...options,
      map,
      clock,
      random: new SeededRandom(seed).fork('outside'),
      log: silentLog,
      onMessage: ({ from, to, message }) => this.sent.push({ from, to, message: frozen(message), atMs: clock.now() }),
    });
    const random = new SeededRandom(seed).fork('platform');
    for (const edge of [...map.instancesOf('sg'), ...map.instancesOf('esg')]) {
      const place = map.endpointOf(edge);
      const line = this.world.network.attach(place, (message, from) => gate.receive(message, from));
      const gate: UserAgent = new UserAgent({
        ...{ sentBy: place, host: place, clock, counters: new Counters() },
        random: random.fork(edge.name).stream('ids'),
        isLossy: () => true,
        session: { does: 'watch', expiresMs: map.topology.timings.sessionExpiresMs },
        send: (message, hop) => line.send(hop, message),
        onReport: (leg, report) => {
          const heard = { gate: edge.name, leg, atMs: clock.now(), report };
          this.heard.push(heard);
          onReport?.(heard, gate);
        },
        onRequest: (request) => this.#answer(gate, request),
        onCrash: (error) => assert.fail(String(error)),
      });
      this.#gates.set(edge.name, gate);
    }
  }

  /** Starts the world outside and lets it register. */
  start(ms = 1_000): this {
    void this.world.start();
    return this.pass(ms);
  }

  pass(ms: number): this {
    this.clock.advanceTo(this.clock.now() + ms);
    return this;
  }

  gate(name = 'sg-213'): UserAgent {
    const gate = this.#gates.get(name);
    if (gate === undefined) throw new Error(`no gate ${name}`);
    return gate;
  }

  /** Calls a phone through a gate, as b2b does. Answers the name of the leg. */
  call(name: string, { gate = 'sg-213', ...more }: Partial<OutgoingCall> & { gate?: string } = {}): string {
    const [phone] = this.world.phones(name);
    if (phone === undefined) throw new Error(`no phone ${name}`);
    const uri = `sip:${name.split('/')[1]}@${phone.endpoint}`;
    const to = { uri: `sip:${name.split('/')[1]}@${acme}` };
    return this.gate(gate).call({ uri, from: { uri: `sip:1002@${acme}` }, to, hop: phone.endpoint, ...more });
  }

  /** Calls a number through an account of the provider, as esg does. */
  callOut(number: string, { gate = 'esg-221', account = 'acme' } = {}): string {
    const from = { uri: `sip:${account}@sip.telecom.test` };
    const uri = `sip:${number}@sip.telecom.test`;
    return this.gate(gate).call({ uri, from, to: { uri }, hop: '10.9.0.1:5060' });
  }

  /** What the platform heard of a leg: types, statuses, and times since `sinceMs`. */
  of(leg: string, sinceMs?: number): string[] {
    return this.heard
      .filter((each) => each.leg === leg)
      .map(({ report, atMs }) => `${textOf(report)}${sinceMs === undefined ? '' : ` ${Math.round(atMs - sinceMs)}`}`);
  }

  /** Requests of a method that phones and providers have sent. */
  requests(method: string): SipRequest[] {
    return this.sent
      .map(({ message }) => message)
      .filter((message): message is SipRequest => message.kind === 'request' && message.method === method)
      .filter(({ via }) => ![...this.#map.instances.values()].some((edge) => via[0] === this.#map.endpointOf(edge)));
  }

  /** Nothing is left: no call, nothing remembered, and of timers only those of registrations. */
  assertQuiescent(): void {
    const { world } = this;
    assert.equal(world.calls, 0, 'calls');
    assert.equal(world.entries, 0, 'entries');
    assert.deepEqual([...world.counters.all()], []);
    for (const [name, gate] of this.#gates) assert.equal(gate.size, 0, name);
  }

  /** Nothing is left at all once both sides have stopped. */
  assertGone(): void {
    this.world.stop();
    for (const gate of this.#gates.values()) gate.stop();
    assert.equal(this.clock.pending, 0);
  }

  #answer(gate: UserAgent, request: SipRequest): void {
    if (request.method === 'OPTIONS') return gate.respond(request, 200);
    const { credentials, from } = request;
    const realm = hostOf(from.uri);
    if (credentials?.nonce !== nonce) return gate.respond(request, 401, { challenge: { realm, nonce } });
    const user = this.#map.domains.get(realm)?.sipusers.find(({ login }) => login === userOf(from.uri));
    if (!matches(credentials, 'REGISTER', user?.pwd ?? user?.login ?? '')) return gate.respond(request, 403);
    const { status, ...granted } = this.grant(request);
    gate.respond(request, status, granted);
  }
}

function textOf(report: LegReport): string {
  const type = report.type.slice('leg.'.length);
  if ('status' in report) return `${type} ${report.status}`;
  if ('by' in report) return `${type} ${report.by}`;
  if (report.type === 'leg.media.changed') return `${type} ${report.media}`;
  if (report.type === 'leg.notified') return `${type} ${report.sipfrag ?? report.event}`;
  return type;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}
