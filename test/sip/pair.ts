/** Two user agents and the way between them, in virtual time: what is sent on it a test may lose, double or hold up. */
import assert from 'node:assert/strict';
import { SeededRandom } from '../../sim/ports/random.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Counters } from '../../src/actors/counters.ts';
import type { SipMessage, SipRequest } from '../../src/model/sip/message.ts';
import { type LegReport, type OutgoingCall, UserAgent, type UserAgentOptions } from '../../src/sip/user-agent.ts';

export type Side = 'a' | 'b';

/** Delays in milliseconds of the copies that arrive of a message; none when it is lost. */
export type Way = (message: SipMessage, index: number, from: Side) => readonly number[];

export interface Heard {
  readonly side: Side;
  readonly leg: string;
  readonly atMs: number;
  readonly report: LegReport;
}

export interface PairOptions {
  readonly way?: Way;
  /** Whether agents believe that messages can get lost. Default true. */
  readonly isLossy?: boolean;
  readonly expiresMs?: number;
  /** What the owner of a side does when it hears a report. */
  readonly onReport?: (heard: Heard, pair: Pair) => void;
  readonly onRequest?: (request: SipRequest, side: Side, pair: Pair) => void;
  readonly agent?: Partial<UserAgentOptions>;
  readonly seed?: number;
}

export type Pair = ReturnType<typeof pairOf>;

const finals: ReadonlySet<string> = new Set(['leg.failed', 'leg.cancelled', 'leg.ended']);

/** `a` calls `b`: what most tests begin with. */
export const toB: OutgoingCall = {
  uri: 'sip:1002@b',
  from: { uri: 'sip:1001@acme.root.test' },
  to: { uri: 'sip:1002@acme.root.test' },
  hop: 'b',
};

/** `a` refreshes the session, `b` watches it. Messages take 10 ms. */
export function pairOf(options: PairOptions = {}) {
  const { way = () => [10], isLossy = true, expiresMs = 90_000, seed = 1 } = options;
  const clock = new VirtualClock(0);
  const random = new SeededRandom(seed);
  const counters = new Counters();
  const heard: Heard[] = [];
  const crashes: unknown[] = [];
  const sent: { readonly from: Side; readonly atMs: number; readonly message: SipMessage }[] = [];
  /** Messages under way, which are no timers of an agent. */
  let underWay = 0;

  const agentOf = (side: Side, other: Side): UserAgent =>
    new UserAgent({
      sentBy: side,
      host: side,
      clock,
      counters,
      random: random.fork(side).stream('ids'),
      isLossy: () => isLossy,
      session: { does: side === 'a' ? 'refresh' : 'watch', expiresMs },
      send: (message, hop) => {
        assert.equal(hop, other);
        const index = sent.push({ from: side, atMs: clock.now(), message }) - 1;
        for (const delayMs of way(message, index, side)) {
          underWay += 1;
          clock.setTimer(delayMs, () => {
            underWay -= 1;
            agents[other].receive(structuredClone(message), side);
          });
        }
      },
      onReport: (leg, report) => {
        const one = { side, leg, atMs: clock.now(), report };
        heard.push(one);
        options.onReport?.(one, pair);
      },
      onRequest: (request) => options.onRequest?.(request, side, pair),
      onCrash: (error) => crashes.push(error),
      ...options.agent,
    });
  const agents = { a: agentOf('a', 'b'), b: agentOf('b', 'a') };

  const pair = {
    ...agents,
    agents,
    clock,
    counters,
    heard,
    crashes,
    sent,
    /** Lets time pass. */
    pass: (ms: number) => clock.advanceTo(clock.now() + ms),
    /** Types of what a side heard, with what matters most of each. */
    heardBy: (side: Side) => heard.filter((one) => one.side === side).map(({ report }) => shortOf(report)),
    /** What was sent, as `a INVITE` or `b 200 INVITE`. */
    lines: () => sent.map(({ from, message }) => `${from} ${lineOf(message)}`),
    get timers() {
      return clock.pending - underWay;
    },
    /** Nothing is left: no leg, no transaction, no timer, nothing remembered. */
    assertIdle(): void {
      assert.deepEqual({ a: agents.a.size, b: agents.b.size }, { a: 0, b: 0 }, 'legs');
      assert.deepEqual({ a: agents.a.entries, b: agents.b.entries }, { a: 0, b: 0 }, 'entries');
      assert.equal(pair.timers, 0, 'timers');
      assert.deepEqual(crashes, []);
    },
    /** Each leg has one final report, its last; an incoming one begins by being invited; it is answered at most once. */
    assertOrderly(): void {
      const legs = new Map<string, LegReport[]>();
      for (const { side, leg, report } of heard) {
        const key = `${side} ${leg}`;
        legs.set(key, [...(legs.get(key) ?? []), report]);
      }
      for (const [key, reports] of legs) {
        const types = reports.map(({ type }) => type);
        assert.equal(types.filter((type) => finals.has(type)).length, 1, `${key}: ${types}`);
        assert.ok(finals.has(types.at(-1) ?? ''), `${key}: ${types}`);
        assert.ok(types.lastIndexOf('leg.invited') <= 0, `${key}: ${types}`);
        const answered = types.indexOf('leg.answered');
        assert.equal(types.lastIndexOf('leg.answered'), answered, `${key}: ${types}`);
        if (answered >= 0) assert.ok(types.lastIndexOf('leg.rang') < answered, `${key}: ${types}`);
        const offered = types.findIndex((type) => offerReports.has(type));
        if (offered >= 0) assert.ok(answered >= 0 && answered < offered, `${key}: ${types}`);
        // A dialog is there when it rings, if only an early one.
        const said = types.findIndex((type) => saidReports.has(type));
        const there = types.findIndex((type) => thereReports.has(type));
        if (said >= 0) assert.ok(there >= 0 && there < said, `${key}: ${types}`);
      }
    },
  };
  return pair;
}

const offerReports: ReadonlySet<string> = new Set(['leg.media.changed', 'leg.media.settled']);
const saidReports: ReadonlySet<string> = new Set([
  ...['leg.referred', 'leg.refer.answered', 'leg.notified', 'leg.dtmf'],
]);
const thereReports: ReadonlySet<string> = new Set(['leg.rang', 'leg.invited', 'leg.answered']);

function shortOf(report: LegReport): string {
  if ('status' in report) return `${report.type} ${report.status}`;
  if ('by' in report) return `${report.type} ${report.by}`;
  if ('media' in report && report.type === 'leg.media.changed') return `${report.type} ${report.media}`;
  if ('sipfrag' in report) return `${report.type} ${report.sipfrag}`;
  return report.type;
}

export function lineOf(message: SipMessage): string {
  return message.kind === 'request' ? message.method : `${message.status} ${message.method}`;
}
