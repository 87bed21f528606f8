/** Executes the commands of the transfer machine, and reports the calls that result from a transfer. */
import type { Handled } from '../../actors/entity-host.ts';
import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { Refer, TransferCommand } from '../../machines/call/transfer.ts';
import type { DialogRecord, LegIdentity, Participation, Side } from '../../model/protocol/messages/dialog.ts';
import {
  type ReferredBy,
  type ReferTo,
  type Replaces,
  readTransferToken,
  transferToken,
} from '../../model/sip/message.ts';
import { bracketed, hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import type { LegOperation } from '../../sip/user-agent.ts';
import { numberNowOf } from '../sip-users.ts';
import { type Call, otherSide } from './call.ts';
import type { Calls } from './calls.ts';

/** A caller that is transferred hears nothing meanwhile. (chosen) */
const longestWaitMs = 500;

export function executeTransfer(calls: Calls, call: Call, command: Handled<TransferCommand>): void {
  switch (command.type) {
    case 'pass.refer':
      return passRefer(calls, call, command.by, command.refer);
    case 'send.refer':
      return sendRefer(calls, call, command.side, command.refer);
    case 'accept.refer':
      return control(calls, call, command.by, { type: 'refer.accept' });
    case 'refuse.refer':
      return control(calls, call, command.by, { type: 'refer.refuse', status: command.status });
    case 'pass.progress': {
      const { from, sipfrag, id } = command;
      return calls.send(call, {
        type: 'party.said',
        side: from,
        said: { what: 'notify', event: 'refer', sipfrag, id },
      });
    }
    case 'leave':
      return calls.send(call, { type: 'party.left', side: command.side, isLost: false });
  }
}

/** Passes the REFER of a party on. Where it names a leg to be replaced, the other party knows that leg by another name. */
function passRefer(calls: Calls, call: Call, by: Side, { id, referTo, referredBy }: Refer): void {
  const { events, scope } = calls;
  events.transfer(call, 'refer', { by, referto: bracketed(referTo.uri) });
  const pass = (meant: ReferTo) => {
    const from = referrer(calls, call, by, referredBy);
    control(calls, call, otherSide(by), { type: 'refer', referTo: meant, referredBy: from, refer: id });
  };
  if (referTo.replaces === undefined) return pass(referTo);
  translate(calls, call, referTo, referTo.replaces).then(pass, scope.crash);
}

function sendRefer(calls: Calls, call: Call, side: Side, { referTo, referredBy }: Refer): void {
  const by = otherSide(side);
  control(calls, call, side, { type: 'refer', referTo, referredBy: referrer(calls, call, by, referredBy) });
  calls.events.transfer(call, 'refer', { by, referto: bracketed(referTo.uri) });
}

/** Who refers the other party: a side. The token names the leg of that side, which the other party does not know otherwise. */
function referrer({ agent, scope }: Calls, call: Call, by: Side, given: ReferredBy | undefined): ReferredBy {
  const leg = call.legOf(by) ?? '';
  const uri = given?.uri ?? agent.view(leg)?.remote.uri ?? call.from.uri;
  return { uri, token: given?.token ?? transferToken({ address: scope.instance.address, key: leg }) };
}

function control({ agent }: Calls, call: Call, side: Side, operation: LegOperation): void {
  const leg = call.legOf(side);
  if (leg !== undefined) agent.control(leg, operation);
}

/**
 * A device names a leg of b2b; the party behind it knows the other leg of that call, and is reached by its own number, which is not the one
 * that was called where the call was diverted. Returns what that party is to be sent to, and asks the other b2b instances if the call is
 * not here; `referTo` itself if no instance knows the call.
 */
async function translate(calls: Calls, call: Call, referTo: ReferTo, { callid }: Replaces): Promise<ReferTo> {
  const here = calls.leg(callid);
  if (here !== undefined) {
    const side = otherSide(here.side);
    return namedBy(calls, { identity: identityOf(calls, here.call, side), party: here.call.partyOf(side) }, referTo);
  }
  const found = await findByLeg(calls.scope, call.domains, callid);
  if (found === undefined) return referTo;
  const { dialogid, b2b, participations } = found.record;
  const side = otherSide(found.side);
  const reply = await calls.scope.ask(b2b, 'dialog.command', { dialogid, command: { verb: 'identify', side } });
  const party = participations.find((each) => each.side === side);
  return namedBy(calls, { identity: reply.ok ? reply.value.identity : undefined, party }, referTo);
}

interface Named {
  readonly identity: LegIdentity | undefined;
  readonly party: Participation | undefined;
}

/** The target of a REFER by the number that its party has now, and the leg of that to be replaced. */
async function namedBy({ scope }: Calls, { identity, party }: Named, referTo: ReferTo): Promise<ReferTo> {
  if (identity === undefined) return referTo;
  const { clock, map } = scope;
  const number = party && (await numberNowOf(scope, party, clock.now() + map.topology.timings.edgeWaitMs));
  const uri = party === undefined || number === undefined ? identity.uri : sipUri(number, party.domain);
  return { ...referTo, uri, replaces: identity.replaces };
}

/** How the party at a side of a call is called and its leg is replaced; none without a leg. */
export function identityOf({ agent }: Calls, call: Call, side: Side): LegIdentity | undefined {
  const leg = call.legOf(side);
  const replaces = leg === undefined ? undefined : agent.view(leg)?.replaces;
  if (replaces === undefined) return undefined;
  const party = call.partyOf(side);
  if (party !== undefined) return { number: party.number, uri: sipUri(party.number, party.domain), replaces };
  const uri = side === 'a' ? call.from.uri : call.to;
  return { number: userOf(uri), uri, replaces };
}

/** The call of a leg of another b2b instance, in one of the domains, and the side of the leg; none where no callstore in reach knows it. */
async function findByLeg(
  scope: RoleScope,
  domains: readonly string[],
  callid: string,
): Promise<{ readonly record: DialogRecord; readonly side: Side } | undefined> {
  for (const domain of new Set(domains)) {
    const body = { domain, key: 'callid' as const, values: [callid] };
    for (const { address } of activeInstances(scope, 'callstore', domain)) {
      const found = await scope.ask(address, 'callstore.find', body);
      const [record] = found.ok ? found.value.records : [];
      const leg = record?.legs.find((each) => each.callid === callid);
      if (record !== undefined && leg !== undefined) return { record, side: leg.side };
    }
  }
  return undefined;
}

/** Publishes in the call whose leg the new call replaces, if it is here, that it is replaced. */
export function followReplacement(calls: Calls, { origin, inviteid }: Call): void {
  const { replaces } = origin.request ?? {};
  const here = replaces && calls.leg(replaces.callid);
  if (here !== undefined) replacedBy(calls, here.call, inviteid);
}

/**
 * The same at the b2b instance that has it, if that is another one; `undefined`: it is not. The device ends the replaced call as soon as it
 * has the new INVITE, and nothing is published of a call that has ended: the new call waits for this, half a second at most.
 */
export function followReplacementElsewhere(
  calls: Calls,
  { origin, domains, inviteid }: Call,
): Promise<void> | undefined {
  const { replaces, uri } = origin.request ?? {};
  if (replaces === undefined || uri === undefined || calls.leg(replaces.callid) !== undefined) return undefined;
  const { scope } = calls;
  const follow = async () => {
    const found = await findByLeg(scope, [...domains, hostOf(uri)], replaces.callid);
    if (found === undefined || found.record.b2b === scope.instance.address) return;
    const { b2b, dialogid } = found.record;
    const command = { verb: 'replace' as const, newinviteid: inviteid };
    // A refusal says that the call is over, or about to be: nothing is published of it any more.
    await scope.ask(b2b, 'dialog.command', { dialogid, command });
  };
  return new Promise((resolve, reject) => {
    const patience = scope.clock.setTimer(longestWaitMs, resolve);
    follow().then(() => {
      patience.cancel();
      resolve();
    }, reject);
  });
}

/** Publishes that a call is replaced, unless it ends: then nothing but its end is published. */
export function replacedBy(calls: Calls, call: Call, newinviteid: string): void {
  const status = calls.statusOf(call);
  if (status === 'forking' || status === 'dialog') calls.events.transfer(call, 'replaces_refer', { newinviteid });
}

/** Reports the call that results from a REFER, and its progress, to the ivr instance that sent the REFER (token in Referred-By). */
export function followReferral({ scope }: Calls, call: Call): void {
  const token = readTransferToken(call.origin.request?.referredBy?.token);
  if (token === undefined || scope.map.instances.get(token.address)?.role !== 'ivr') return;
  const { address, key } = token;
  const { dialogid, inviteid } = call;
  const tell = (status: number, reason: string, bcallid?: string) =>
    scope.tell(address, 'call.referred', {
      ...{ key, acallid: call.acallid, inviteid, dialogid, status, reason },
      ...(bcallid !== undefined && { bcallid }),
    });
  tell(0, '');
  call.listen((progress) => {
    if (progress.type === 'callee.responded') tell(progress.status, progress.reason, progress.callid);
    // The outcome of a call that was not answered is how it ended.
    else if (progress.type === 'over' && call.answerts === undefined && progress.end.status > 0) {
      tell(progress.end.status, progress.end.reason, call.called);
    }
  });
}
