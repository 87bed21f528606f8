/**
 * The numbering plan of the domains: what a dialled number leads to. In this order: a SIP user's phone number, a feature
 * code, a SIP user's login, the provider accounts of the domain. `user@domain` asks another domain. (chosen)
 */
import { featureAt } from '../../model/feature-code.ts';
import type { AccountRoute, Callee } from '../../model/protocol/directory.ts';
import type { TopologyDomain } from '../../model/topology/schema.ts';
import type { Database } from '../../storage/database.ts';
import { sipUserOf } from './sip-users.ts';

export interface Dialled {
  readonly number: string;
  readonly mode: 'number' | 'sipuser';
  /** It was dialled in another domain: nobody calls out through the accounts of this one. */
  readonly isFromOutside: boolean;
}

/** The domain in which a dialled text is to be found, and the number there. */
export function destinationOf(domain: string, dialled: string): { number: string; home: string } {
  const [number = '', home = domain] = dialled.split('@');
  return { number, home };
}

/** Where a number leads in a domain, whose SIP users are in `database`. */
export function calleeOf(database: Database, domain: TopologyDomain, { number, mode, isFromOutside }: Dialled): Callee {
  if (number === '') return { kind: 'nobody' };
  const login = sipUserOf(database, domain.name, 'login', number);
  if (mode === 'sipuser') return login === undefined ? { kind: 'nobody' } : { kind: 'sipuser', user: login };
  const user = sipUserOf(database, domain.name, 'phonenumber', number);
  if (user !== undefined) return { kind: 'sipuser', user };
  const feature = featureOf(domain, number);
  if (feature !== undefined) return feature;
  if (login !== undefined) return { kind: 'sipuser', user: login };
  if (isFromOutside || domain.providers.length === 0) return { kind: 'nobody' };
  return { kind: 'outside', accounts: accountsOf(domain) };
}

/** A conference of either type needs two digits of room behind the prefix. */
function featureOf({ name: domain, features }: TopologyDomain, number: string): Callee | undefined {
  const feature = featureAt(features, number);
  if (feature === undefined) return undefined;
  const { prefix, type } = feature;
  const rest = number.slice(prefix.length);
  if (type === 'ivr') return { kind: 'ivr', domain, prefix, rest };
  return /^\d\d$/.test(rest) ? { kind: 'conference', domain, prefix, room: rest } : undefined;
}

function accountsOf({ name: domain, providers }: TopologyDomain): AccountRoute[] {
  return providers.map(({ code, esg, username, domain: remote, trunks }) => ({
    domain,
    code,
    esg,
    username,
    remote,
    trunks,
  }));
}
