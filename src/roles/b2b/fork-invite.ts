/** The INVITE that b2b sends to one callee. */
import { limits } from '../../model/limits.ts';
import { modifiedNumber } from '../../model/number-modifier.ts';
import type { Party } from '../../model/sip/message.ts';
import { hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import type { CallOptions } from '../../sip/user-agent.ts';
import { type Call, type Fork, partyOf } from './call.ts';
import type { Route } from './routes.ts';

export function inviteFor(call: Call, { leg, route, side }: Fork): CallOptions {
  const { inviteid, origin, order } = call;
  const { media, replaces, referredBy, label = order?.label, maxForwards = limits.maxForwards } = origin.request ?? {};
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
  };
}

/** X sees the number that was asked for, else its own. (documented) */
function shownToX({ order, from }: Call): Party {
  const { domain = '', callerid, callername } = order ?? {};
  const uri = callerid === undefined ? from.uri : sipUri(callerid.split('@')[0] ?? callerid, domain);
  return callername === undefined ? { uri } : { uri, name: callername };
}

/** A SIP user sees the number of a caller from a provider as it wants to. */
function shownToY(call: Call, { modextin = '' }: Route): Party {
  const { from } = call;
  if (modextin === '' || partyOf(call, 'a')?.kind !== 'account') return from;
  return { ...from, uri: sipUri(modifiedNumber(userOf(from.uri), modextin), hostOf(from.uri)) };
}

/** conf and ivr serve many domains. */
function isInside({ party }: Route): boolean {
  return party === undefined || party.kind === 'conference' || party.kind === 'ivr';
}
