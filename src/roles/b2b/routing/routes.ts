/** Routes: the ways to what a number leads to, in the order in which they are called. */

import { accountHome, rendezvousChoice } from '../../../cluster/membership/instance-choice.ts';
import { activeInstances, type RoleScope } from '../../../cluster/role.ts';
import type { Target } from '../../../machines/call/dialog-forks.ts';
import type { InstanceEntry } from '../../../model/cluster/cluster-map.ts';
import { numberOf } from '../../../model/numbers/destination.ts';
import { modifiedNumber } from '../../../model/numbers/number-modifier.ts';
import type { Participation, Side } from '../../../model/protocol/messages/dialog.ts';
import type { AccountRoute, Callee, SipUserRecord } from '../../../model/protocol/messages/directory.ts';
import type { BindingCopy } from '../../../model/protocol/messages/registrar.ts';
import type { Party } from '../../../model/sip/message.ts';
import { hostOf, sipUri } from '../../../model/sip/uri.ts';

/** The way to one callee. `ringMs` is 0 where it has no limit of its own. */
export interface Route extends Target {
  /** Request-URI. */
  readonly uri: string;
  readonly hop: string;
  /** Who it is, as a URI. */
  readonly to: string;
  readonly number: string;
  /** Name of the SIP user who is called there: that of the caller where the platform calls X first. */
  readonly name?: string;
  /** Domain in which numbers to which it redirects are dialled. */
  readonly domain: string;
  /** Absent: a conference of which the id is not known before it has answered. */
  readonly party: Omit<Participation, 'side'> | undefined;
  /** Room of a conference. */
  readonly room?: string;
  /** Code of an IVR script. */
  readonly script?: string;
  /** `domain/code` of the provider account that leads there. */
  readonly account?: string;
  /** Modifier of the number of a caller from a provider. */
  readonly modextin?: string;
  /** Longest talk (ms); 0: no limit. */
  readonly talkMs: number;
}

/** Routes that are called at once; each later group when no route before could be reached. */
export type RouteGroups = readonly (readonly Route[])[];

/** What one side of a call is asked for. */
export interface WantedSide {
  readonly domain: string;
  readonly number: string;
}

/** All devices of a SIP user at once. */
export function devicesOf(user: SipUserRecord, bindings: readonly BindingCopy[]): RouteGroups {
  const { id, domain, login, name } = user;
  const number = numberOf(user);
  const to = sipUri(number, domain);
  const party = { kind: 'sipuser', domain, name: login, id, number } as const;
  const times = { ringMs: user.calltimesec * 1_000, talkMs: user.dlgtimesec * 1_000 };
  const common = { to, number, name, domain, party, ...times, modextin: user.modextin };
  return [
    bindings.map(({ contact, path, device }) => ({
      ...common,
      key: `${domain}/${login}/${device}`,
      uri: contact,
      hop: path,
    })),
  ];
}

/** The accounts of a domain in turn, as far as a gate has them; records keep the number that was dialled. */
export function accountsOf(
  { map, view }: RoleScope,
  { number, domain, modifier = '' }: WantedSide & { readonly modifier?: string },
  accounts: readonly AccountRoute[],
): RouteGroups {
  const sent = modifiedNumber(number, modifier);
  return accounts.flatMap((account) => {
    const gate = accountHome(map, view, account);
    if (gate === undefined || view.statusOf(gate) !== 'active') return [];
    const uri = sipUri(sent, account.remote);
    const party = { kind: 'account', domain: account.domain, name: account.code, number } as const;
    const key = `${account.domain}/${account.code}`;
    const common = { uri, to: uri, number, domain, party, ringMs: 0, talkMs: 0 };
    return [[{ ...common, key: `${key}/${number}`, hop: gate.address, account: key }]];
  });
}

/** The one conf instance that is the home of a room: chosen by a hash among the instances that serve the domain, the same by every b2b. */
export function roomOf(scope: RoleScope, callee: Extract<Callee, { kind: 'conference' }>): RouteGroups {
  const { domain, prefix, room } = callee;
  const home = rendezvousChoice(`${domain}/${room}`, activeInstances(scope, 'conf', domain));
  if (home === undefined) return [];
  return [[{ ...platformRoute(home, { domain, number: `${prefix}${room}` }), party: undefined, room }]];
}

const confUser = /^conf-((\d+)-\d+)$/;

/** The id in the user part of a conference's own URI, `conf-<confid>`. */
export function confidIn(number: string): string | undefined {
  return confUser.exec(number)?.[1];
}

/** The conf instance that has a conference: its id begins with the srvidx. */
export function conferenceOf({ map, view }: RoleScope, { domain, number }: WantedSide): RouteGroups {
  const [, confid = '', srvidx] = confUser.exec(number) ?? [];
  const home = map.instanceNamed(`conf-${srvidx}`);
  if (home === undefined || view.statusOf(home) !== 'active') return [];
  const party = { kind: 'conference', domain, name: confid, number } as const;
  return [[{ ...platformRoute(home, { domain, number }), party }]];
}

/** The ivr instances in turn, those of the own site first. */
export function scriptsOf(scope: RoleScope, callee: Extract<Callee, { kind: 'ivr' }>): RouteGroups {
  const { domain, prefix, rest, script } = callee;
  const number = `${prefix}${rest}`;
  const code = script === undefined ? {} : { script };
  return activeInstances(scope, 'ivr', domain).map((home) => {
    const party = { kind: 'ivr', domain, name: `${home.srvidx}`, number } as const;
    return [{ ...platformRoute(home, { domain, number }), ...code, party }];
  });
}

function platformRoute({ name, address }: InstanceEntry, { domain, number }: WantedSide) {
  const to = sipUri(number, domain);
  const limitless = { ringMs: 0, talkMs: 0 };
  return { key: `${name}/${number}`, uri: sipUri(number, name), hop: address, to, number, domain, ...limitless };
}

/**
 * What a URI dials in a domain: the number, or `number@host` where the host is another name. Addresses, and hosts of providers of
 * the domain, are no names: the number is dialled in the domain.
 */
export function dialledBy({ map }: RoleScope, uri: string, user: string, domain: string): string {
  const host = hostOf(uri);
  const isOutside = map.domains.get(domain)?.providers.some((provider) => provider.domain === host);
  return host === domain || isOutside || !isName(host) ? user : `${user}@${host}`;
}

/** Whether a host is a name with dots: no address, with a port or without, and no name of an instance. */
function isName(host: string): boolean {
  return /\.[^.:]*[a-z][^.:]*$/i.test(host);
}

export function seatOf(side: Side, party: Omit<Participation, 'side'>): Participation {
  return { side, ...party };
}

/** X of a call that the platform starts, as Y sees it. */
export function callerBy({ to: uri, name }: Route): Party {
  return name === undefined ? { uri } : { uri, name };
}
