/** The journal of a cluster in a test: requests, SIP, cluster messages, transitions and faults, of a call or a time range. */

import type { SipMessage } from '../../../src/model/sip/message.ts';
import { isoTime } from '../../../src/model/time.ts';
import type { Observation, ObservationOf } from '../../observation/observation.ts';
import type { OperatedCluster } from '../recorded/operator.ts';

/** An entry: an observation, with its time as text. */
export type JournalEntry = Observation & { readonly at: string };

export interface JournalFilter {
  /** A dialogid, an inviteid or a Call-Id: everything of this call, with all its legs. */
  readonly call?: string;
  /** The id of a request (`id` of its entries): what happened from its arrival to its answer, without other requests. */
  readonly request?: number;
  /** Milliseconds since the epoch, both included. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly kinds?: readonly Observation['kind'][];
}

export class ClusterJournal {
  readonly #present: () => OperatedCluster;

  /** @internal */
  constructor(present: () => OperatedCluster) {
    this.#present = present;
  }

  /** How many of the oldest entries are no longer kept. */
  get dropped(): number {
    return this.#present().observations.dropped;
  }

  /** The entries that a filter selects, the oldest first. */
  entries({
    call,
    request,
    fromMs = 0,
    untilMs = Number.POSITIVE_INFINITY,
    kinds,
  }: JournalFilter = {}): JournalEntry[] {
    const { all: kept } = this.#present().observations;
    const all = request === undefined ? kept : duringRequest(kept, request);
    const inTime = all.filter(({ atMs, kind }) => atMs >= fromMs && atMs <= untilMs && (kinds?.includes(kind) ?? true));
    const chosen = call === undefined ? inTime : ofCall(inTime, call);
    return chosen.map((observation) => ({ ...observation, at: isoTime(observation.atMs) }));
  }

  /** The entries as JSON lines. */
  lines(filter?: JournalFilter): string {
    return this.entries(filter)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join('');
  }

  /** The messages among the entries as a sequence diagram in Mermaid's syntax, with phones, providers and instances by name. */
  diagram(filter?: JournalFilter): string {
    const names = this.#namesOutside();
    return sequenceDiagram(this.entries(filter), (address) => names.get(address) ?? address);
  }

  /** The names of edges, phones and providers by their SIP addresses. */
  #namesOutside(): ReadonlyMap<string, string> {
    const { map, outside } = this.#present().world;
    const edges = [...map.instancesOf('sg'), ...map.instancesOf('esg')];
    return new Map([
      ...edges.map((edge) => [map.endpointOf(edge), edge.address] as const),
      ...[...outside.phones(), ...outside.providers()].map(({ endpoint, name }) => [endpoint, name] as const),
    ]);
  }
}

/** The entries from the arrival of a request to its answer, without those of other requests. */
function duringRequest(entries: readonly Observation[], id: number): readonly Observation[] {
  const isOwn = (entry: Observation) => isOfRequest(entry) && entry.id === id;
  const first = entries.findIndex(isOwn);
  if (first === -1) return [];
  const last = entries.findLastIndex(isOwn);
  const end = last === first && entries[first]?.kind === 'request.received' ? entries.length : last + 1;
  return entries.slice(first, end).filter((entry) => !isOfRequest(entry) || isOwn(entry));
}

function isOfRequest(entry: Observation): entry is ObservationOf<'request.received' | 'request.answered'> {
  return entry.kind === 'request.received' || entry.kind === 'request.answered';
}

/** Fields whose values name a call or one of its legs. */
const idFields: ReadonlySet<string> = new Set([
  ...['dialogid', 'inviteid', 'callid', 'acallid', 'bcallid', 'ivrcallid', 'forkcallid', 'cid', 'referdialogid'],
  ...['newinviteid', 'key', 'callids'],
]);

/** The entries that have an id of the call, where an entry with several ids makes all of them ids of the call. */
function ofCall(entries: readonly Observation[], call: string): Observation[] {
  const idsOf = entries.map((entry) => [...idsIn(entry)]);
  const known = new Set([call]);
  for (let size = 0; size < known.size; ) {
    size = known.size;
    for (const ids of idsOf) if (ids.some((id) => known.has(id))) for (const id of ids) known.add(id);
  }
  return entries.filter((entry, index) => idsOf[index]?.some((id) => known.has(id)) || namesOne(entry, known));
}

/** Whether the target or the answer of a request has an id. */
function namesOne(entry: Observation, ids: ReadonlySet<string>): boolean {
  if (!isOfRequest(entry)) return false;
  const text = `${entry.target} ${entry.kind === 'request.answered' ? entry.body : ''}`;
  return [...ids].some((id) => text.includes(id));
}

function* idsIn(value: unknown, name = '', depth = 0): Iterable<string> {
  if (typeof value === 'string' && idFields.has(name) && value !== '') yield value;
  if (typeof value !== 'object' || value === null || depth > deepest) return;
  for (const [key, inner] of Object.entries(value)) yield* idsIn(inner, Array.isArray(value) ? name : key, depth + 1);
}

const deepest = 8;

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** `nameOf`: the name of a participant by its SIP address; an edge has the same name inside and outside. */
function sequenceDiagram(entries: readonly Observation[], nameOf: (address: string) => string): string {
  const arrows = entries.flatMap((entry) => {
    const arrow = arrowOf(entry);
    return arrow === undefined ? [] : [{ ...arrow, from: nameOf(arrow.from), to: nameOf(arrow.to) }];
  });
  const names = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))];
  const aliases = new Map(names.map((name, index) => [name, `p${index}`]));
  const lines = [
    'sequenceDiagram',
    ...names.map((name) => `  participant ${aliases.get(name)} as ${name}`),
    ...arrows.map(({ from, to, text }) => `  ${aliases.get(from)}->>${aliases.get(to)}: ${plain(text)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function arrowOf(entry: Observation): Arrow | undefined {
  switch (entry.kind) {
    case 'outside.sent': {
      const { from, to, message } = entry;
      return { from, to, text: sipText(message) };
    }
    case 'envelope.sent': {
      const { from, to, type, body } = entry.envelope;
      return { from, to, text: type === 'sip' ? `sip ${sipText(body as SipMessage)}` : type };
    }
    case 'request.received':
      return { from: 'client', to: entry.site, text: `${entry.method} ${entry.target}` };
    case 'request.answered':
      return { from: entry.site, to: 'client', text: `${entry.status} ${entry.method} ${entry.target}` };
    default:
      return undefined;
  }
}

function sipText(message: SipMessage): string {
  return message.kind === 'response' ? `${message.status} ${message.method}` : message.method;
}

/** Mermaid ends a message at a semicolon or a line end, and reads # as the begin of an entity. */
function plain(text: string): string {
  return text.replaceAll(/[;#\n]/g, ' ');
}
