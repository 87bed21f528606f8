/** The INVITE that b2b sends to one callee. */
import { limits } from '../../model/limits.ts';
import type { Party } from '../../model/sip/message.ts';
import { sipUri } from '../../model/sip/uri.ts';
import type { CallOptions } from '../../sip/user-agent.ts';
import type { Call, Fork } from './call.ts';
import type { Route } from './routes.ts';

export function inviteFor(call: Call, { leg, route, side }: Fork): CallOptions {
  const { inviteid, origin, order } = call;
  const { media, replaces, referredBy, label = order?.label, maxForwards = limits.maxForwards } = origin.request ?? {};
  return {
    uri: route.uri,
    from: side === 'a' ? shownToX(call) : call.from,
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

/** conf and ivr serve many domains. */
function isInside({ party }: Route): boolean {
  return party === undefined || party.kind === 'conference' || party.kind === 'ivr';
}
