/** Which conferences are those of the requester: one of its SIP users takes part. */
import type { RoleScope } from '../../cluster/role.ts';
import { done, type Outcome } from '../../model/fault.ts';
import type { ConferenceRecord, ParticipantRecord } from '../../model/protocol/messages/conference.ts';
import type { DialogRecord } from '../../model/protocol/messages/dialog.ts';
import { parseUri } from '../../model/sip/uri.ts';
import type { Lookups } from './lookups.ts';
import { ownNumbers, type RequestContext } from './request-context.ts';

/**
 * The conferences of the requester, of some; all, where the request is not limited. The call of a participant says which SIP user it is:
 * numbers and logins may change, or be those of another user. Until that is known, or where it is out of reach, its number counts.
 */
export async function ownConferences(
  { scope, lookups }: { readonly scope: RoleScope; readonly lookups: Lookups },
  context: RequestContext,
  records: readonly ConferenceRecord[],
): Promise<Outcome<readonly ConferenceRecord[]>> {
  const { own, domain } = context;
  if (own === undefined) return done(records);
  // Selector meetings belong to no user. (documented)
  const possible = records.filter(({ meeting }) => meeting === undefined);
  if (possible.length === 0 || own.length === 0) return done([]);
  const numbers = await ownNumbers(scope, context);
  if (!numbers.ok) return numbers;
  const ids = new Set(own.map(({ id }) => id));
  const unlimited = { ...context, own: undefined };
  const ownLegs = callidsOf(await lookups.callsWith(unlimited, { key: 'sipuserid', values: [...ids] }));
  const isByNumber = ({ callid, ruri }: ParticipantRecord) => {
    const uri = parseUri(ruri);
    return !ownLegs.has(callid) && uri?.host === domain && numbers.value?.has(uri.user) === true;
  };
  const unsure = possible.flatMap(({ participants }) => participants.filter(isByNumber).map(({ callid }) => callid));
  const calls = await lookups.callsWith(unlimited, { key: 'callid', values: unsure });
  // One of them may be known to be an own call since the first lookup.
  const foreign = callidsOf(calls.filter((call) => isKnown(call, domain) && !isOf(call, ids)));
  return done(
    possible.filter(({ participants }) =>
      participants.some((each) => ownLegs.has(each.callid) || (isByNumber(each) && !foreign.has(each.callid))),
    ),
  );
}

/** Whether it is known which SIP user of the domain takes part. */
function isKnown({ participations }: DialogRecord, domain: string): boolean {
  return participations.some((party) => party.kind === 'sipuser' && party.domain === domain && party.id !== undefined);
}

function isOf({ participations }: DialogRecord, ids: ReadonlySet<string>): boolean {
  return participations.some(({ id }) => id !== undefined && ids.has(id));
}

function callidsOf(calls: readonly DialogRecord[]): ReadonlySet<string> {
  return new Set(calls.flatMap(({ legs }) => legs.map(({ callid }) => callid)));
}
