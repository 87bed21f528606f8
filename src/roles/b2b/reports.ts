/** Turns what the user agent reports of legs into events of calls, and begins a call for each new INVITE. */
import type { DialogEvent, Said } from '../../machines/dialog-events.ts';
import type { Failure } from '../../machines/dialog-forks.ts';
import { type Media, reasonOf, type SipRequest, statusIn } from '../../model/sip/message.ts';
import { sipUri } from '../../model/sip/uri.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import { type Call, legOf, type Origin } from './call.ts';
import { callerOf } from './callers.ts';
import type { LegRef } from './calls.ts';
import { notify, type Parts } from './parts.ts';
import { mediaChanged } from './recording.ts';
import { announce, referAnswered } from './transfers.ts';

export interface ReportsOptions {
  readonly parts: Parts;
  /** Starts the machine of a call. False: there is no room. */
  readonly begin: (call: Call) => boolean;
  readonly isOpen: () => boolean;
}

const unreachable: Failure = { status: 503, reason: reasonOf(503) };

export class Reports {
  readonly #parts: Parts;
  readonly #options: ReportsOptions;

  constructor(options: ReportsOptions) {
    this.#parts = options.parts;
    this.#options = options;
  }

  hear(leg: string, report: LegReport): void {
    if (report.type === 'leg.invited') return this.#invited(leg, report.request, report.from);
    const ref = this.#parts.calls.leg(leg);
    if (ref !== undefined) this.#hear(leg, ref, report);
  }

  /** Nobody leads to the party of a leg any more. */
  lose(leg: string): void {
    const ref = this.#parts.calls.leg(leg);
    if (ref === undefined) return;
    ref.isLost = true;
    this.#parts.agent.tell(leg, { type: 'drop' });
  }

  #hear(leg: string, ref: LegRef, report: Exclude<LegReport, { type: 'leg.invited' }>): void {
    const { call, side } = ref;
    switch (report.type) {
      case 'leg.rang':
        return this.#rang(leg, ref, report);
      case 'leg.answered':
        return this.#answered(ref, report);
      case 'leg.cancelled':
        return this.#over(leg, call, { type: 'caller.cancelled' });
      case 'leg.failed':
        return this.#failed(leg, ref, report);
      case 'leg.ended':
        return this.#ended(leg, ref, report.by === 'lost');
      case 'leg.media.changed':
        return this.#mediaChanged(leg, ref, report.media);
      case 'leg.dtmf':
        return this.#says(leg, ref, { what: 'dtmf', dtmf: report.dtmf });
      case 'leg.notified':
        return this.#notified(leg, ref, report);
      case 'leg.referred':
        return this.#says(leg, ref, {
          what: 'refer',
          referTo: report.referTo,
          referredBy: report.referredBy,
        });
      case 'leg.refer.answered':
        return referAnswered(this.#parts, call, side, report.status);
      case 'leg.media.settled':
        return;
    }
  }

  #mediaChanged(leg: string, ref: LegRef, media: Media): void {
    const { call, side } = ref;
    if (legOf(call, side) !== leg) return;
    const { scope, events } = this.#parts;
    if (mediaChanged(call, { side, media, atMs: Math.floor(scope.clock.now()) })) events.changed(call);
    this.#says(leg, ref, { what: 'media', media });
  }

  #invited(leg: string, request: SipRequest, from: string): void {
    const { scope, agent, calls } = this.#parts;
    const caller = callerOf(scope, request, from);
    const refuse = (status: number) => void agent.tell(leg, { type: 'reject', status });
    if (caller === undefined) return refuse(403);
    if (!this.#options.isOpen()) return refuse(503);
    if (request.maxForwards <= 1) return refuse(483);
    const { origin, from: shown, party } = caller;
    const call = calls.create({ origin, acallid: leg, from: shown, to: calleeUri(origin) });
    call.a = leg;
    calls.addLeg(leg, { call, side: 'a', fork: undefined, hop: from });
    if (party !== undefined) call.participations = [party];
    if (!origin.mustProve) announce(this.#parts, call);
    if (this.#options.begin(call)) return;
    refuse(503);
  }

  #rang(leg: string, { call, side, fork }: LegRef, { status, reason }: { status: number; reason: string }): void {
    if (fork === undefined) return;
    this.#parts.tell(call, { type: 'fork.rang', fork, status });
    if (!call.forks.has(fork)) return;
    if (side === 'a') notify(call, { type: 'caller.rang' });
    else notify(call, { type: 'callee.responded', status, reason, callid: leg });
  }

  #answered({ call, fork }: LegRef, { media }: Extract<LegReport, { type: 'leg.answered' }>): void {
    const made = fork === undefined ? undefined : call.forks.get(fork);
    if (made === undefined) return;
    made.media = media;
    this.#parts.tell(call, { type: 'fork.answered', fork: made.fork });
  }

  #failed(leg: string, { call, fork, isLost }: LegRef, report: Extract<LegReport, { type: 'leg.failed' }>): void {
    const made = fork === undefined ? undefined : call.forks.get(fork);
    const { status, reason, contacts } = report;
    if (made === undefined) {
      const isCaller = isLost && call.a === leg;
      return this.#over(leg, call, isCaller ? { type: 'party.left', side: 'a', isLost } : undefined);
    }
    if (!isLost && status < 400 && contacts.length > 0) {
      made.contacts = contacts;
      return this.#over(leg, call, { type: 'fork.redirected', fork: made.fork });
    }
    const failure = isLost ? unreachable : failureOf(status, reason);
    return this.#over(leg, call, { type: 'fork.refused', fork: made.fork, failure });
  }

  #ended(leg: string, { call, side, isLost }: LegRef, hasLapsed: boolean): void {
    const isParty = legOf(call, side) === leg;
    this.#over(leg, call, isParty ? { type: 'party.left', side, isLost: isLost || hasLapsed } : undefined);
  }

  #notified(leg: string, ref: LegRef, { event, sipfrag }: Extract<LegReport, { type: 'leg.notified' }>): void {
    const { call, side } = ref;
    if (event !== 'refer' || !call.referred.has(side)) return this.#says(leg, ref, { what: 'notify', event, sipfrag });
    // A command has referred it: who has got where it was sent leaves.
    const status = statusIn(sipfrag) ?? 100;
    if (status < 200) return;
    call.referred.delete(side);
    if (status < 300) call.left ??= side;
    if (call.left === undefined || call.referred.size > 0) return;
    this.#parts.tell(call, { type: 'party.left', side: call.left, isLost: false });
  }

  #says(leg: string, { call, side }: LegRef, said: Said): void {
    if (legOf(call, side) === leg) this.#parts.tell(call, { type: 'party.said', side, said });
  }

  /** A leg is over, which may mean something to its call. */
  #over(leg: string, call: Call, event: DialogEvent | undefined): void {
    const { calls, tell } = this.#parts;
    calls.removeLeg(leg);
    if (event !== undefined) tell(call, event);
    if (call.legs.size === 0) tell(call, { type: 'legs.gone' });
  }
}

/** A redirection that says nothing is a refusal. */
function failureOf(status: number, reason: string): Failure {
  return status < 400 ? { status: 480, reason: reasonOf(480) } : { status, reason };
}

/** Target the caller called, as a URI: in its domain, or in the one that it named. */
function calleeUri({ domain, dialled }: Origin): string {
  const [number = '', other = domain] = dialled.split('@');
  return sipUri(number, other);
}
