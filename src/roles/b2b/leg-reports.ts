/** Turns what the user agent reports of legs into events of calls, and begins a call for each new INVITE. */
import type { DialogEvent, Said } from '../../machines/call/dialog-events.ts';
import type { FinalFailure } from '../../machines/call/dialog-forks.ts';
import { destinationUri } from '../../model/numbers/destination.ts';
import { type Media, reasonOf, statusIn } from '../../model/sip/message.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import { callerOf } from './authentication.ts';
import type { Calls, LegRef } from './calls.ts';

type Report<T extends LegReport['type']> = Extract<LegReport, { type: T }>;

/** A leg of a call that something is reported of. */
interface Reported extends LegRef {
  readonly calls: Calls;
  readonly leg: string;
}

const unreachable: FinalFailure = { status: 503, reason: reasonOf(503) };

export function receiveReport(calls: Calls, leg: string, report: LegReport): void {
  if (report.type === 'leg.invited') return invited(calls, leg, report);
  const ref = calls.leg(leg);
  return ref && receive({ ...ref, calls, leg }, report);
}

function receive(at: Reported, report: Exclude<LegReport, { type: 'leg.invited' }>): void {
  switch (report.type) {
    case 'leg.rang':
      return rang(at, report);
    case 'leg.answered':
      return answered(at, report);
    case 'leg.cancelled':
      return over(at, { type: 'caller.cancelled' });
    case 'leg.failed':
      return failed(at, report);
    case 'leg.ended':
      return over(at, isParty(at) ? { type: 'party.left', side: at.side, isLost: report.by === 'lost' } : undefined);
    case 'leg.media.changed':
      return mediaChanged(at, report.media);
    case 'leg.dtmf':
      return says(at, { what: 'dtmf', dtmf: report.dtmf });
    case 'leg.spoke':
      return spoke(at, report.speech);
    case 'leg.plays':
      return playsFile(at, report.plays);
    case 'leg.notified':
      return notified(at, report);
    case 'leg.referred':
      return says(at, { what: 'refer', id: report.id, referTo: report.referTo, referredBy: report.referredBy });
    case 'leg.refer.answered':
      return answeredRefer(at, report.status);
    case 'leg.media.settled':
      return undefined;
  }
}

function invited(calls: Calls, leg: string, { request, from }: Report<'leg.invited'>): void {
  const { scope, agent } = calls;
  const caller = callerOf(scope, request, from);
  const refuse = (status: number) => void agent.control(leg, { type: 'reject', status });
  if (caller === undefined) return refuse(403);
  if (!calls.isOpen) return refuse(503);
  if (request.maxForwards <= 0) return refuse(483);
  const { origin, from: shown, party } = caller;
  const call = calls.create({
    origin,
    acallid: leg,
    from: shown,
    to: destinationUri(origin.domain, origin.dialled),
    party,
  });
  calls.addLeg(leg, { call, side: 'a', fork: undefined, hop: from });
  return calls.begin(call) ? undefined : refuse(503);
}

function rang({ calls, leg, call, side, fork }: Reported, { status, reason, plays }: Report<'leg.rang'>): void {
  if (fork === undefined) return;
  calls.send(call, { type: 'fork.rang', fork, status, plays });
  if (!call.forks.has(fork)) return;
  calls.announcements.heard(leg, call, plays);
  if (side === 'a') call.notify({ type: 'caller.rang' });
  else call.notify({ type: 'callee.responded', status, reason, callid: leg });
}

function answered({ calls, leg, call, fork }: Reported, { media }: Report<'leg.answered'>): void {
  const made = fork === undefined ? undefined : call.forks.get(fork);
  if (made === undefined) return;
  calls.announcements.over(leg);
  call.updateFork(made.fork, { media });
  calls.send(call, { type: 'fork.answered', fork: made.fork, talkMs: call.talkMsWith(made.route) });
}

function failed(at: Reported, report: Report<'leg.failed'>): void {
  const { status, reason, contacts } = report;
  const isLost = report.isLost === true;
  const { call, leg, fork } = at;
  const made = fork === undefined ? undefined : call.forks.get(fork);
  if (made === undefined) {
    return over(at, call.legOf('a') === leg ? { type: 'party.left', side: 'a', isLost } : undefined);
  }
  if (!isLost && status < 400 && contacts.length > 0) {
    call.updateFork(made.fork, { contacts });
    return over(at, { type: 'fork.redirected', fork: made.fork });
  }
  const failure = isLost ? unreachable : failureOf(status, reason);
  return over(at, { type: 'fork.refused', fork: made.fork, failure });
}

function mediaChanged(at: Reported, media: Media): void {
  if (!isParty(at)) return;
  at.calls.setMedia(at.call, at.side, media);
  says(at, { what: 'media', media });
}

/** A callee that has not answered yet hears it later. */
function playsFile(at: Reported, plays: string): void {
  if (isParty(at) && at.side === 'a') at.call.playFromCaller(plays);
  says(at, { what: 'plays', plays });
}

/** The simulated recogniser: what a party says is known, and published while its side is transcribed. */
function spoke(at: Reported, speech: string): void {
  const { calls, call, side } = at;
  if (isParty(at) && call.isTranscribed(side) && calls.isListed(call)) calls.events.transcription(call, side, speech);
}

/** The other party gets the progress of a transfer, unless the platform has requested it. */
function notified(at: Reported, { event, sipfrag, refer }: Report<'leg.notified'>): void {
  const { calls, call, side } = at;
  if (event !== 'refer' || !isParty(at) || !calls.hasTransfer(call))
    return says(at, { what: 'notify', event, sipfrag });
  const status = statusIn(sipfrag) ?? 100;
  return calls.transfer(call, { type: 'progress.notified', side, status, sipfrag, id: refer });
}

function answeredRefer(at: Reported, status: number): void {
  const { calls, call, side } = at;
  if (isParty(at) && calls.hasTransfer(call)) calls.transfer(call, { type: 'refer.answered', side, status });
}

function says(at: Reported, said: Said): void {
  if (isParty(at)) at.calls.send(at.call, { type: 'party.said', side: at.side, said });
}

/** Whether it is the leg of a party, and not one of several that are called. */
function isParty({ call, side, leg }: Reported): boolean {
  return call.legOf(side) === leg;
}

/** A leg is over, which may mean something to its call. */
function over({ calls, call, leg }: Reported, event: DialogEvent | undefined): void {
  calls.removeLeg(leg);
  if (event !== undefined) calls.send(call, event);
  if (call.legs.size === 0) calls.send(call, { type: 'legs.gone' });
}

/** A redirection that says nothing is a refusal. */
function failureOf(status: number, reason: string): FinalFailure {
  return status < 400 ? { status: 480, reason: reasonOf(480) } : { status, reason };
}
