/** Carries out what the machine of a call commands. */

import type { Handled } from '../../actors/entity-host.ts';
import type { DialogCommand, DialogEnd, Refusal, Said } from '../../machines/call/dialog-events.ts';
import type { FinalFailure, ForkCall } from '../../machines/call/dialog-forks.ts';
import { answeredMedia } from '../../machines/call/hold.ts';
import { limits } from '../../model/limits.ts';
import { destinationUri } from '../../model/numbers/destination.ts';
import { modifiedNumber } from '../../model/numbers/number-modifier.ts';
import type { Side } from '../../model/protocol/messages/dialog.ts';
import { type RecordableCall, recordingRule } from '../../model/recording/recording.ts';
import { type Party, reasonOf } from '../../model/sip/message.ts';
import { hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import { newCallid } from '../../sip/outgoing-messages.ts';
import type { LegOperation, OutgoingCall } from '../../sip/user-agent.ts';
import { type Call, type Fork, otherSide } from './call.ts';
import type { Calls } from './calls.ts';
import type { Route } from './routing/routes.ts';
import { findContacts, findRoutes } from './routing/routing.ts';
import { followReferral, followReplacement } from './transfers.ts';

const hourMs = 3_600_000;

export function executeCommand(calls: Calls, call: Call, command: Handled<DialogCommand>): void {
  const { events } = calls;
  switch (command.type) {
    case 'list':
      return events.changed(call);
    case 'publish.invite':
      return publishInvite(calls, call);
    case 'find.routes':
      return findRoutes(calls, call, command.side);
    case 'refuse.caller':
      return refuse(calls, call, command.refusal);
    case 'publish.init':
      return events.init(call);
    case 'call.forks':
      return callForks(calls, call, command.side, command.forks);
    case 'stop.fork':
      return events.forkStop(call, call.removeFork(command.fork), command.failure);
    case 'cancel.forks':
      return cancelForks(calls, call, command.forks, command.failure);
    case 'find.contacts':
      return redirect(calls, call, command.fork);
    case 'ring.caller':
      return call.request === undefined ? ring(calls, call, command) : undefined;
    case 'take.caller':
      return takeCaller(calls, call, command.fork);
    case 'connect':
      return connect(calls, call, command.fork);
    case 'pass.on':
      return passOn(calls, call, command.to, command.said);
    case 'refuse.refer':
      return control(calls, call.legOf(command.by), { type: 'refer.refuse', status: command.status });
    case 'end.legs':
      return endLegs(calls, call, command.end);
    case 'publish.end':
      return end(calls, call, command.end);
    case 'publish.gone':
      return events.gone(call);
    case 'publish.stop':
      return events.stop(call, command.end);
  }
}

function ring(calls: Calls, call: Call, { status, plays }: Extract<DialogCommand, { type: 'ring.caller' }>): void {
  control(calls, call.legOf('a'), { type: 'ring', status, plays });
}

/** Makes a call known: to callstore and, where it came of a transfer, to the instance that referred. */
function publishInvite(calls: Calls, call: Call): void {
  calls.events.invite(call);
  followReferral(calls, call);
  followReplacement(calls, call);
}

function refuse(calls: Calls, call: Call, { status, reason, challenge, isCredentialsWrong }: Refusal): void {
  control(calls, call.legOf('a'), { type: 'reject', status, reason, challenge, isCredentialsWrong });
}

function callForks(calls: Calls, call: Call, side: Side, forks: readonly ForkCall[]): void {
  const { scope, agent, events } = calls;
  for (const { fork, key } of forks) {
    const route = call.routeTo(key);
    // The Call-Id of X is that of the call, until another of its devices answers.
    const leg = side === 'a' && fork === 1 ? call.acallid : newCallid(calls.scope.random.stream('ids'));
    const untilMs = Math.floor(scope.clock.now()) + route.ringMs;
    const made: Fork = { fork, side, leg, route, untilMs, media: undefined, contacts: [] };
    call.addFork(made);
    calls.addLeg(leg, { call, side, fork, hop: route.hop });
    events.forkStart(call, made);
    agent.call(inviteFor(call, made));
  }
}

function cancelForks(calls: Calls, call: Call, numbers: readonly number[], failure: FinalFailure): void {
  const { reason } = failure;
  for (const number of numbers) {
    const fork = call.removeFork(number);
    calls.events.forkStop(call, fork, failure);
    control(calls, fork.leg, { type: 'end', reason });
  }
}

function redirect(calls: Calls, call: Call, number: number): void {
  const fork = call.removeFork(number);
  calls.events.forkRedirect(call, fork);
  findContacts(calls, call, fork);
}

function takeCaller(calls: Calls, call: Call, number: number): void {
  const { route } = call.takeCaller(number);
  if (route.room !== undefined) seatRoom(calls, call, route);
  calls.events.changed(call);
  call.notify({ type: 'caller.taken' });
}

/** That X is a conference must be known before Y is called; which one it is is published later. */
function seatRoom(calls: Calls, call: Call, route: Route): void {
  const { domain, room = '', number } = route;
  call.seat({ side: 'a', kind: 'conference', domain, name: room, number });
  nameConference(calls, call, 'a', route);
}

function connect(calls: Calls, call: Call, number: number): void {
  const { scope, events } = calls;
  const fork = call.connect(number, Math.floor(scope.clock.now()));
  calls.concurrentCalls.keep(call.dialogid, call.participations);
  const { leg, route, media } = fork;
  const offered = call.origin.request?.media ?? 'sendrecv';
  calls.setMedia(call, 'b', answeredMedia(offered, media ?? 'sendrecv'));
  // The other party was in the call before this one answered, and may have changed its media since this one was invited.
  const wanted = call.mediaOf('a');
  if (wanted !== offered) control(calls, leg, { type: 'offer', media: wanted });
  if (call.callerPlays !== '') control(calls, leg, { type: 'play', plays: call.callerPlays });
  recordByRules(calls, call, route);
  if (call.request === undefined)
    control(calls, call.legOf('a'), { type: 'answer', ...(media !== undefined && { media }) });
  events.start(call, fork);
  call.notify({ type: 'callee.responded', status: 200, reason: reasonOf(200), callid: leg });
  if (route.room !== undefined) nameConference(calls, call, 'b', route);
}

/** Which conference a room has come to be, its instance says once it has answered. */
function nameConference(calls: Calls, call: Call, side: Side, { hop, domain, room = '', number }: Route): void {
  const { scope, events } = calls;
  scope.ask(hop, 'conference.find', { domain, number }).then((found) => {
    if (!calls.isListed(call)) return;
    const name = (found.ok ? found.value.confid : null) ?? room;
    call.seat({ side, kind: 'conference', domain, name, number });
    events.changed(call);
  }, scope.crash);
}

function passOn(calls: Calls, call: Call, to: Side, said: Said): void {
  const leg = call.legOf(to);
  switch (said.what) {
    case 'media':
      return control(calls, leg, { type: 'offer', media: said.media });
    case 'dtmf':
      return control(calls, leg, { type: 'dtmf', dtmf: said.dtmf });
    case 'plays':
      return control(calls, leg, { type: 'play', plays: said.plays });
    case 'notify': {
      const { event, sipfrag, id } = said;
      return control(calls, leg, { type: 'notify', event, sipfrag, id });
    }
    case 'refer': {
      const { what: _, ...refer } = said;
      return calls.transfer(call, { type: 'refer.received', by: otherSide(to), refer });
    }
  }
}

function endLegs(calls: Calls, call: Call, { status, reason }: DialogEnd): void {
  const because = { ...(status >= 300 && { status }), reason };
  for (const leg of [...call.legs]) {
    if (!calls.agent.control(leg, { type: 'end', ...because })) calls.removeLeg(leg);
  }
  if (call.legs.size === 0) calls.send(call, { type: 'legs.gone' });
}

function end(calls: Calls, call: Call, how: DialogEnd): void {
  calls.events.end(call, how);
  calls.concurrentCalls.release(call.dialogid);
  call.notify({ type: 'over', end: how });
}

function control({ agent }: Calls, leg: string | undefined, operation: LegOperation): void {
  if (leg !== undefined) agent.control(leg, operation);
}

/** The call connects: it is recorded when the domain of either side says so, and kept for as long as either wants. */
function recordByRules(calls: Calls, call: Call, route: Route): void {
  const { rules, answerts: atMs } = call;
  if (atMs === undefined) return;
  const deciding = viewsOf(call, route).flatMap(([domain, view]) => {
    const { rules: each = [], offsetHours = 0 } = rules.get(domain) ?? {};
    return recordingRule(each, { ...view, atMs: atMs + offsetHours * hourMs }) ?? [];
  });
  if (deciding.length === 0) return;
  const keepMs = Math.max(...deciding.map((rule) => rule.keepMs ?? Number.POSITIVE_INFINITY));
  calls.record(call, { type: 'rule.matched', atMs, heard: call.heard, ...(Number.isFinite(keepMs) && { keepMs }) });
}

/** The call as the domain of its caller sees it and, where it is another one, that of its callee. */
function viewsOf(call: Call, route: Route): [domain: string, Omit<RecordableCall, 'atMs'>][] {
  const caller = call.partyOf('a');
  const home = caller?.domain ?? call.origin.domain;
  const numbers = { from: caller?.number ?? userOf(call.from.uri), to: route.number };
  const isCross = route.domain !== home;
  const dir = caller?.kind === 'account' ? 'incoming' : isCross || route.account !== undefined ? 'outgoing' : 'inner';
  if (!isCross) return [[home, { ...numbers, dir, crossdomain: '' }]];
  return [
    [home, { ...numbers, dir, crossdomain: route.domain }],
    [route.domain, { ...numbers, dir: 'incoming', crossdomain: home }],
  ];
}

/** The INVITE that b2b sends to one callee. */
function inviteFor(call: Call, { leg, route, side }: Fork): OutgoingCall {
  const { inviteid, origin, request } = call;
  const {
    media,
    replaces,
    referredBy,
    label = request?.label,
    maxForwards = limits.maxForwards,
  } = origin.request ?? {};
  return {
    uri: route.uri,
    from: side === 'a' ? shownToX(call) : shownToY(call, route),
    to: { uri: route.to },
    hop: route.hop,
    callid: leg,
    inviteid,
    maxForwards: maxForwards - 1,
    ...(isInside(route) && { domain: route.domain }),
    ...(media !== undefined && { media }),
    ...(replaces !== undefined && { replaces }),
    // The token is for the platform alone.
    ...(referredBy !== undefined && { referredBy: { uri: referredBy.uri } }),
    ...(label !== undefined && { label }),
    ...(route.account !== undefined && { account: route.account }),
    ...(route.script !== undefined && { script: route.script }),
  };
}

/** X sees the number that was asked for, else its own. (documented) */
function shownToX({ request, from }: Call): Party {
  const { domain = '', callerid, callername } = request ?? {};
  const uri = callerid === undefined ? from.uri : destinationUri(domain, callerid);
  return callername === undefined ? { uri } : { uri, name: callername };
}

/** A SIP user sees the number of a caller from a provider as it wants to. */
function shownToY(call: Call, { modextin = '' }: Route): Party {
  const { from } = call;
  if (modextin === '' || call.partyOf('a')?.kind !== 'account') return from;
  return { ...from, uri: sipUri(modifiedNumber(userOf(from.uri), modextin), hostOf(from.uri)) };
}

/** conf and ivr serve many domains. */
function isInside({ party }: Route): boolean {
  return party === undefined || party.kind === 'conference' || party.kind === 'ivr';
}
