/** Who calls, as far as the INVITE and the gate that it came through tell. */

import type { RoleScope } from '../../cluster/role.ts';
import type { Participation } from '../../model/protocol/dialog.ts';
import type { Party, SipRequest } from '../../model/sip/message.ts';
import { hostOf, userOf } from '../../model/sip/uri.ts';
import type { Origin } from './call.ts';
import { confidIn, dialledBy } from './routes.ts';

export interface Caller {
  readonly origin: Origin;
  readonly from: Party;
  /** Unknown for a SIP user before the directory has told of it. */
  readonly party: Participation | undefined;
}

/**
 * The caller of an INVITE that came by `from`: a phone behind sg, a provider behind esg (its account's domain decides), or
 * ivr and conf, which call in the name of a domain. `undefined`: nobody who may call.
 */
export function callerOf(scope: RoleScope, request: SipRequest, from: string): Caller | undefined {
  const instance = scope.map.instances.get(from);
  const { uri, name } = request.from;
  const shown: Party = name === undefined ? { uri } : { uri, name };
  switch (instance?.role) {
    case 'sg': {
      const domain = hostOf(uri);
      if (!scope.map.domains.has(domain)) return undefined;
      const origin = originIn(scope, domain, request, { mustProve: true, login: userOf(uri) });
      return { origin, from: shown, party: undefined };
    }
    case 'esg': {
      const { account = '' } = request;
      const [domain, code] = partsOf(account);
      if (!scope.map.domains.has(domain)) return undefined;
      const party = { side: 'a', kind: 'account', domain, name: code, number: userOf(uri) } as const;
      return { origin: originIn(scope, domain, request, { mustProve: false }), from: shown, party };
    }
    case 'conf':
    case 'ivr': {
      const { domain = hostOf(uri) } = request;
      if (!scope.map.domains.has(domain)) return undefined;
      const number = userOf(uri);
      const identity =
        instance.role === 'ivr'
          ? ({ kind: 'ivr', name: `${instance.srvidx}` } as const)
          : ({ kind: 'conference', name: request.confid ?? confidIn(number) ?? number } as const);
      const origin = originIn(scope, domain, request, { mustProve: false });
      return { origin, from: shown, party: { side: 'a', domain, number, ...identity } };
    }
    default:
      return undefined;
  }
}

function originIn(
  scope: RoleScope,
  domain: string,
  request: SipRequest,
  who: Pick<Origin, 'mustProve' | 'login'>,
): Origin {
  const dialled = dialledBy(scope, request.uri, userOf(request.uri), domain);
  return { domain, dialled, request, ...who };
}

/** `domain/code` */
function partsOf(account: string): [domain: string, code: string] {
  const end = account.lastIndexOf('/');
  return end < 0 ? ['', account] : [account.slice(0, end), account.slice(end + 1)];
}
