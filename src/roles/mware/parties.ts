/** Who is at the sides of a call, and which side a command means. */
import type { DialogRecord, Participation, Side } from '../../model/protocol/dialog.ts';
import { parseUri, sipUri } from '../../model/sip/uri.ts';

export function otherSide(side: Side): Side {
  return side === 'a' ? 'b' : 'a';
}

/** The side that `by` means: `a`, `b`, or the URI of the party there. Where a party called itself, side a. */
export function sideOf(record: DialogRecord, by: string): Side | undefined {
  if (by === 'a' || by === 'b') return by;
  const found = record.participations.find((party) => isAt(party, by));
  if (found !== undefined) return found.side;
  return (['a', 'b'] as const).find((side) => urisAt(record, side).some((uri) => isSameUri(uri, by)));
}

/** The side of `other` that has the same party as `record` has at `side`. */
export function sideOfSame(record: DialogRecord, side: Side, other: DialogRecord): Side | undefined {
  const party = partyAt(record, side);
  if (party === undefined) return undefined;
  return other.participations.find(
    ({ kind, domain, name, number }) =>
      kind === party.kind && domain === party.domain && name === party.name && number === party.number,
  )?.side;
}

export function partyAt({ participations }: DialogRecord, side: Side): Participation | undefined {
  return participations.find((party) => party.side === side);
}

/** The URI of a party, without brackets. */
export function uriAt(record: DialogRecord, side: Side): string {
  const party = partyAt(record, side);
  if (party !== undefined && party.domain !== '') return sipUri(party.number, party.domain);
  return bare(urisAt(record, side)[0] ?? '');
}

/** How the party of a number is dialled in a domain: the number names the party's domain where that is another one. */
export function dialledIn(domain: string, number: string, party: Participation | undefined): string {
  if (party === undefined || party.domain === domain || isOutside(party)) return number;
  return `${number}@${party.domain}`;
}

/** The URIs of the parties, as a message shows them to somebody who named another. */
export function partiesText(record: DialogRecord): string {
  return [...new Set((['a', 'b'] as const).map((side) => `<${uriAt(record, side)}>`))].join(', ');
}

function isOutside({ kind }: Pick<Participation, 'kind'>): boolean {
  return kind === 'outside' || kind === 'account';
}

/** A party goes by its number and by its name; one outside has no domain of its own. */
function isAt({ kind, domain, name, number }: Participation, by: string): boolean {
  const uri = parseUri(by);
  if (uri === undefined || (uri.user !== number && uri.user !== name)) return false;
  return isOutside({ kind }) || uri.host === domain;
}

/** The dialog's URIs are the caller's and the callee's; a leg's remote one is its party's. */
function urisAt({ legs, localuri, remoteuri }: DialogRecord, side: Side): string[] {
  return [...legs.filter((leg) => leg.side === side).map((leg) => leg.remoteuri), side === 'a' ? localuri : remoteuri];
}

function isSameUri(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

function bare(uri: string): string {
  return uri.startsWith('<') && uri.endsWith('>') ? uri.slice(1, -1) : uri;
}
