/** Transfers: REFER that is passed on to the other party, and calls that come of one. */

import { activeInstances } from '../../cluster/role.ts';
import type { Side } from '../../model/protocol/dialog.ts';
import type { ReferredBy, ReferTo, Replaces } from '../../model/sip/message.ts';
import { readTransferToken } from '../../model/sip/message.ts';
import { bracketed } from '../../model/sip/uri.ts';
import { type Call, legOf, otherSide } from './call.ts';
import type { Parts } from './parts.ts';

export interface Referral {
  /** The side that refers the other one. */
  readonly by: Side;
  readonly referTo: ReferTo;
  readonly referredBy: ReferredBy | undefined;
}

/** Passes REFER on. Where it names a leg to be replaced, the other party knows that leg by another name. */
export function passRefer(parts: Parts, call: Call, { by, referTo, referredBy }: Referral): void {
  const { agent, events, scope } = parts;
  const leg = legOf(call, by);
  if (leg === undefined) return;
  // One at a time, and not both of each other.
  if (call.referrer !== undefined) return void agent.tell(leg, { type: 'refer.refuse', status: 491 });
  call.referrer = by;
  events.transfer(call, 'refer', { by, referto: bracketed(referTo.uri) });
  const pass = (meant: ReferTo) => {
    const to = legOf(call, otherSide(by));
    const from = referredBy ?? { uri: agent.view(leg)?.remote.uri ?? call.from.uri };
    if (to !== undefined) agent.tell(to, { type: 'refer', referTo: meant, referredBy: from });
  };
  if (referTo.replaces === undefined) return pass(referTo);
  translate(parts, call, referTo.replaces).then((replaces) => pass({ ...referTo, replaces }), scope.crash);
}

/** The party has answered the REFER that was passed on, or that a command had sent. */
export function referAnswered({ agent }: Parts, call: Call, side: Side, status: number): void {
  if (call.referrer === otherSide(side)) {
    const leg = legOf(call, call.referrer);
    call.referrer = undefined;
    const answer = status < 300 ? ({ type: 'refer.accept' } as const) : ({ type: 'refer.refuse', status } as const);
    if (leg !== undefined) agent.tell(leg, answer);
  } else if (status >= 300) call.referred.delete(side);
}

/**
 * The leg that a device names is one of b2b; what is to be replaced at the party behind it is the other leg of that call, as
 * that party knows it. The call may be here or at another b2b instance; of one that nobody knows the name stays as it is.
 */
async function translate(parts: Parts, call: Call, replaces: Replaces): Promise<Replaces> {
  const { agent, calls, scope } = parts;
  const here = calls.leg(replaces.callid);
  if (here !== undefined) {
    const other = legOf(here.call, otherSide(here.side));
    return (other === undefined ? undefined : agent.view(other)?.replaces) ?? replaces;
  }
  const body = { domain: call.origin.domain, key: 'callid' as const, values: [replaces.callid] };
  for (const { address } of activeInstances(scope, 'callstore', call.origin.domain)) {
    const found = await scope.ask(address, 'callstore.find', body);
    const [record] = found.ok ? found.value.records : [];
    const leg = record?.legs.find((each) => each.callid === replaces.callid);
    if (record === undefined || leg === undefined) continue;
    const command = { verb: 'identify' as const, side: otherSide(leg.side) };
    const told = await scope.ask(record.b2b, 'dialog.command', { dialogid: record.dialogid, command });
    return (told.ok ? told.value.identity?.replaces : undefined) ?? replaces;
  }
  return replaces;
}

/** Makes a call known: to callstore and, where it came of a transfer, to the one who referred. */
export function announce(parts: Parts, call: Call): void {
  if (call.isTold) return;
  const { events, calls } = parts;
  const { replaces } = call.origin.request ?? {};
  events.invite(call);
  followReferral(parts, call);
  const replaced = replaces === undefined ? undefined : calls.leg(replaces.callid)?.call;
  // One that ends has told its last news.
  if (replaced !== undefined && replaced.status !== 'ending')
    events.transfer(replaced, 'replaces_refer', { newinviteid: call.inviteid });
}

/** Tells the one who referred, by the token in Referred-By, of the call that came of it, and how it fares. */
function followReferral({ scope }: Parts, call: Call): void {
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
  call.listeners.push((progress) => {
    if (progress.type === 'callee.responded') tell(progress.status, progress.reason, progress.callid);
    // What became of a call that nobody has answered is how it ended.
    else if (progress.type === 'over' && call.answerts === undefined && progress.end.status > 0) {
      tell(progress.end.status, progress.end.reason, call.called);
    }
  });
}
