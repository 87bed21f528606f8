/** Routing: finds the routes of a call, and those of a redirection, and sends the result to its machine. */
import type { FinalFailure } from '../../../machines/call/dialog-forks.ts';
import { limits } from '../../../model/limits.ts';
import { numberOf } from '../../../model/numbers/destination.ts';
import type { Side } from '../../../model/protocol/messages/dialog.ts';
import type { SipUserRecord } from '../../../model/protocol/messages/directory.ts';
import { readTransferToken, reasonOf } from '../../../model/sip/message.ts';
import { sipUri, userOf } from '../../../model/sip/uri.ts';
import type { Call, Fork } from '../call.ts';
import type { Calls } from '../calls.ts';
import type { CountedCall } from '../concurrent-calls.ts';
import { followReplacementElsewhere } from '../transfers.ts';
import type { Question, Routing } from './route-lookup.ts';
import { dialledBy, type Route, type RouteGroups } from './routes.ts';

/** Finds the routes of a side: of the number that the caller dialled, or of X, which the platform calls first. */
export function findRoutes(calls: Calls, call: Call, side: Side): void {
  const { routeLookup, scope } = calls;
  const found = (routing: Routing) => {
    if (isBeginning(calls, call)) take(calls, call, side, routing);
  };
  routeLookup
    .find(questionOf(call, side))
    .then((routing) => {
      const isFound = routing.type === 'found' && side === 'b';
      const replaced = isFound ? followReplacementElsewhere(calls, call) : undefined;
      return replaced === undefined ? found(routing) : replaced.then(() => found(routing));
    })
    .catch(scope.crash);
}

/** Finds the routes of the contacts to which a fork is redirected. */
export function findContacts(calls: Calls, call: Call, { fork, route, contacts, side }: Fork): void {
  const { routeLookup, scope, concurrentCalls } = calls;
  const { dialogid } = call;
  const { domain } = route;
  const isByConference = side === 'b' && isConference(call);
  const finding = contacts.map((uri) =>
    routeLookup.find({
      ...counted(call),
      domain,
      dialled: dialledBy(scope, uri, userOf(uri), domain),
      isByConference,
    }),
  );
  Promise.all(finding).then((routings) => {
    if (calls.get(dialogid) !== call || calls.statusOf(call) === 'ending') return concurrentCalls.release(dialogid);
    if (calls.statusOf(call) === 'dialog') return concurrentCalls.keep(dialogid, call.participations);
    const found = routings.flatMap((routing) => (routing.type === 'found' ? [routing.groups] : []));
    const groups = abreast(found).map((group) => group.map((each) => bounded(each, call, side)));
    const rules = routings.flatMap((routing) => (routing.type === 'found' ? (routing.recordrules ?? []) : []));
    call.addRoutes(groups, rules);
    const restMs = call.restMsOfForks(Math.floor(scope.clock.now()));
    if (groups.length > 0) return calls.send(call, { type: 'contacts.found', fork, groups, restMs });
    const [failed] = routings.flatMap((routing) => (routing.type === 'failed' ? [routing.failure] : []));
    return calls.send(call, { type: 'contacts.failed', fork, failure: failed ?? notFound });
  }, scope.crash);
}

const notFound: FinalFailure = { status: 404, reason: reasonOf(404) };

/** Whether a call still waits for routes; what was taken for one that does not is given back. */
function isBeginning(calls: Calls, call: Call): boolean {
  const isHere = calls.get(call.dialogid) === call && calls.statusOf(call) === 'init';
  if (!isHere) calls.concurrentCalls.release(call.dialogid);
  return isHere;
}

function questionOf(call: Call, side: Side): Question {
  const { origin, request: wanted } = call;
  const { domain, dialled, login, request, mustProve } = origin;
  if (side === 'a' && wanted !== undefined)
    return { ...counted(call), domain, dialled: wanted.from, mode: wanted.mode };
  const common = { ...counted(call), domain, dialled, isByConference: isConference(call) };
  if (wanted === undefined) {
    const who = login === undefined ? {} : { login };
    return { ...common, ...who, ...(mustProve && request !== undefined && { proof: request }) };
  }
  const caller = call.partyOf('a');
  const isUser = caller?.kind === 'sipuser' && caller.domain === domain;
  return { ...common, ...(isUser && { login: caller.name }) };
}

/** A call that replaces a leg, or to which a party was referred, takes the place of the call of that leg. */
function counted({ dialogid, origin: { request } }: Call): CountedCall {
  const { replaces, referredBy } = request ?? {};
  return { dialogid, replaced: replaces?.callid, referring: readTransferToken(referredBy?.token)?.key };
}

/** Whether side a is a conference. */
function isConference(call: Call): boolean {
  return call.partyOf('a')?.kind === 'conference';
}

function take(calls: Calls, call: Call, side: Side, routing: Routing): void {
  if (routing.type === 'refused') {
    const { type: _type, ...refusal } = routing;
    return calls.send(call, { type: 'caller.refused', refusal });
  }
  if (side === 'b' && call.request === undefined && routing.caller !== undefined) seatCaller(call, routing.caller);
  if (routing.type === 'failed') {
    return calls.send(call, { type: 'routes.failed', failure: routing.failure });
  }
  const groups = routing.groups.map((group) => group.map((route) => bounded(route, call, side)));
  call.addRoutes(groups, routing.recordrules ?? []);
  const [first] = groups[0] ?? [];
  if (first !== undefined) call.seatCallee(side, first);
  return calls.send(call, { type: 'routes.found', groups });
}

/** The caller is a SIP user, which callees see by its number or, without one, by its login. */
function seatCaller(call: Call, user: SipUserRecord): void {
  const { id, domain, login, name, dlgtimesec } = user;
  const number = numberOf(user);
  const party = { side: 'a', kind: 'sipuser', domain, name: login, id, number } as const;
  call.seatCaller(party, { uri: sipUri(number, domain), name });
  call.limitCaller(dlgtimesec * 1_000);
}

/** X may ring for as long as the call request says. Calls of ivr and conf have time limits of their own. */
function bounded(route: Route, call: Call, side: Side): Route {
  const { request } = call;
  if (side === 'a' && request !== undefined) return { ...route, ringMs: request.timeoutMs };
  if (route.ringMs > 0) return route;
  const isOfPlatform = isConference(call) || call.partyOf('a')?.kind === 'ivr';
  return { ...route, ringMs: isOfPlatform ? limits.longestRingMs : limits.ringMs };
}

/** Several lists of groups as one: the first groups at once, and so on. */
function abreast(lists: readonly RouteGroups[]): RouteGroups {
  const longest = Math.max(0, ...lists.map((groups) => groups.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((groups) => groups[index] ?? []));
}
