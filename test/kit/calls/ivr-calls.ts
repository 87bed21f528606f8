/** Calls that ivr starts, in a test: both b2b instances of north play X, and say of Y what the test wants. */
import type { Outcome } from '../../../src/model/fault.ts';
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import type { CallRequest, CallResult } from '../../../src/model/protocol/messages/dialog.ts';
import { reasonOf, type SipRequest } from '../../../src/model/sip/message.ts';
import type { LegOperation, LegReport } from '../../../src/sip/user-agent.ts';
import { acme, PlatformWorld } from './platform-world.ts';

const players = ['b2b-214', 'b2b-223'] as const;

export type Answered = { readonly atMs: number; readonly outcome: Outcome<CallResult> };

export class IvrWorld {
  readonly world: PlatformWorld;
  /** What X does with the call, when it comes. */
  x: readonly LegOperation[] = [{ type: 'ring' }, { type: 'answer' }];
  /** What X does with REFER: the status with which it answers. */
  refers = 202;
  readonly referrals: Extract<LegReport, { type: 'leg.referred' }>[] = [];
  readonly #startMs: number;

  private constructor(world: PlatformWorld) {
    this.world = world;
    this.#startMs = world.cluster.clock.now();
    for (const name of players) {
      const party = world.b2b(name);
      party.onReport = (leg, report) => {
        if (report.type === 'leg.invited') for (const operation of this.x) party.agent.control(leg, operation);
        if (report.type !== 'leg.referred') return;
        this.referrals.push(report);
        const isTaken = this.refers < 300;
        party.agent.control(leg, isTaken ? { type: 'refer.accept' } : { type: 'refer.refuse', status: this.refers });
      };
    }
  }

  static async start(): Promise<IvrWorld> {
    return new IvrWorld(await PlatformWorld.start());
  }

  /** Asks ivr for a call of 1001 to 1002; answers what it said, and when, once it has. */
  ask(order: Partial<CallRequest> = {}, more: Partial<BodyOf<'ivr.call'>> & { deadlineMs?: number } = {}) {
    const { deadlineMs = Infinity, ...rest } = more;
    const { cluster } = this.world;
    const plain = {
      domain: acme,
      from: '1001',
      to: '1002',
      mode: 'number',
      timeoutMs: 30_000,
      responseMode: 1,
    } as const;
    const body = { request: { ...plain, ...order }, ...rest };
    const asked = cluster.scope('mware-215').ask(this.world.address('ivr-225'), 'ivr.call', body, { deadlineMs });
    const heard: { answer: Answered | undefined } = { answer: undefined };
    void asked.then((outcome) => {
      heard.answer = { atMs: cluster.clock.now() - this.#startMs, outcome };
    });
    return heard;
  }

  pass(ms = 50): Promise<void> {
    return this.world.pass(ms);
  }

  get nowMs(): number {
    return this.world.cluster.clock.now() - this.#startMs;
  }

  /** The only INVITE that came for X, and the leg that it made. */
  get invite(): SipRequest {
    const [invite, ...others] = players.flatMap((name) => this.world.b2b(name).invites);
    if (invite === undefined || others.length > 0) throw new Error(`${others.length} INVITEs came`);
    return invite;
  }

  /** What X has heard in its leg. */
  get heard(): string[] {
    return players.flatMap((name) => this.world.b2b(name).heard());
  }

  /** X does something. */
  tell(operation: LegOperation): void {
    const { callid } = this.invite;
    if (!players.some((name) => this.world.b2b(name).agent.control(callid, operation))) throw new Error('X has left');
  }

  /** X notifies the status of its call to Y. */
  notify(status: number): void {
    this.tell({ type: 'notify', event: 'refer', sipfrag: `SIP/2.0 ${status} ${reasonOf(status)}` });
  }

  /** b2b reports the status of the call of X to Y; 0: the call has arrived. */
  referred(status: number, bcallid?: string): void {
    const key = this.key;
    const call = { key, acallid: 'a-1', inviteid: 'i-1', dialogid: 'd-1', status };
    const body = { ...call, reason: status === 0 ? '' : reasonOf(status), ...(bcallid !== undefined && { bcallid }) };
    this.world.cluster.scope('b2b-214').tell(this.world.address('ivr-225'), 'call.referred', body);
  }

  /** What ivr put behind its address in the token. */
  get key(): string {
    return this.referrals[0]?.referredBy?.token?.split('|')[1] ?? '';
  }
}

/** What was answered, without the moment. */
export function resultIn(heard: { readonly answer: Answered | undefined }): CallResult | string | undefined {
  if (heard.answer === undefined) return undefined;
  const { outcome } = heard.answer;
  return outcome.ok ? outcome.value : outcome.fault.code;
}
