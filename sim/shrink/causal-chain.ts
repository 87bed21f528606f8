/**
 * The causal chain of a failure: from the last event of what it names back through transitions and messages to a fault, a request
 * or the beginning. The cause of an event is the last one before it in its asynchronous context, which timers, writes to stores
 * and promises keep; of a message that arrives it is the sending, and of what follows a reply the reply.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { StreamItem } from '../../src/model/protocol/messages/stream.ts';
import type { ObservationOf } from '../observation/observation.ts';
import { oracles } from '../oracles/all.ts';
import { VirtualClock } from '../ports/virtual-clock.ts';
import type { Failure } from '../scenario/report.ts';
import type { World } from '../world/world.ts';

type Source = 'state' | 'crash' | 'sent' | 'delivered' | 'dead' | 'status' | 'fault' | 'request' | 'answer' | 'sip';

interface Recorded {
  readonly source: Source;
  readonly atMs: number;
  /** The node where it happened; of a request: the site. */
  readonly place: string;
  readonly text: string;
  /** What it is about: ids, the most specific first. */
  readonly about: readonly string[];
  /** The calls that it is of, by inviteid. */
  readonly calls?: readonly string[];
  readonly isOfCall?: boolean;
  /** The id of its envelope or request; of a reply also that of its ask. */
  readonly id?: string;
  readonly re?: string | undefined;
  /** Of an answer: as failures quote it. */
  readonly says?: string;
  /** Of a request and its answer: `METHOD target`, and the address of the client. */
  readonly asks?: string;
  readonly sender?: string | undefined;
  /** The number of the last observation before it in its context. */
  readonly cause?: number | undefined;
}

/** Only the last ones are kept. */
const mostKept = 200_000;
const mostLinks = 30;
/** Of the calls of a use case or drill, beside its last answer. */
const mostLinksOfCalls = 15;
const mostLost = 3;
const mostFaults = 3;
/** As much of an answer as use cases and drills quote. */
const quotedChars = 200;
/** Pings and their like are between all nodes at all times, and cause nothing that another observation does not show. */
const background = /^(peer|quorum)\.(?!digest$)/;
const lifting = /^fault (resume|mend)\b/;
/** Messages that are of no call. */
const apart = /^(REGISTER|OPTIONS)$/;

const observed = [
  ...([
    'entity.state',
    'instance.status',
    'instance.crashed',
    'envelope.sent',
    'envelope.delivered',
    'envelope.dead',
  ] as const),
  ...(['fault.inflicted', 'fault.mended', 'request.received', 'request.answered', 'outside.sent'] as const),
];
type Observed = ObservationOf<(typeof observed)[number]>;

/** A failure, with its time since the cluster was ready. */
export type ToExplain = Pick<Failure, 'kind' | 'text' | 'atMs'> & Partial<Pick<Failure, 'name'>>;

export class CausalChain {
  readonly #stop: () => void;
  readonly #context = new AsyncLocalStorage<number>();
  #seen: Recorded[] = [];
  /** Number of the first one that is kept. */
  #first = 0;
  /** Active faults by their numbers. */
  readonly #active = new Map<number, string>();
  /** Addresses of the clients of open requests, by their ids. */
  readonly #senders = new Map<number, string>();

  /** Made before the world starts. */
  constructor(world: World) {
    if (world.clock instanceof VirtualClock) world.clock.carry = (fire) => AsyncResource.bind(fire);
    this.#stop = world.observe<Observed['kind']>((each) => this.#note(each as Observed), { kinds: [...observed] });
  }

  stop(): void {
    this.#stop();
    // While one storage is in use, Node 20 follows every promise of the process.
    this.#context.disable();
  }

  /**
   * In lines, the last event before the failure first, then its causes; then messages about the same that did not arrive, and the
   * last faults where no cause is one. `since`: the time of a run.
   */
  of(failure: ToExplain, since: (worldMs: number) => number): string[] {
    const end = this.#seen.findLastIndex((each) => since(each.atMs) <= failure.atMs) + 1;
    const start = this.#startOf(failure, end);
    const chain = this.#chainFrom(start, mostLinks);
    const lost = start === undefined ? [] : this.#lostBefore(start);
    const ofCalls = this.#chainFrom(this.#lastOfCalls(failure, end), mostLinksOfCalls);
    const links = [...chain, ...lost, ...ofCalls.filter((link) => !chain.includes(link))];
    const faults = links.some(({ source }) => source === 'fault') ? [] : this.#faultsBefore(failure, end);
    return [...links, ...faults].map(({ atMs, text }) => `${timeOf(since(atMs))} ${text}`);
  }

  #chainFrom(start: number | undefined, most: number): Recorded[] {
    const chain: Recorded[] = [];
    for (let at = start; at !== undefined && chain.length < most; at = this.#causeOf(at)) {
      const link = this.#seen[at];
      if (link === undefined) break;
      chain.push(this.#heldUntil(at, link), ...(at === start ? this.#statusesAt(at) : []));
    }
    return chain;
  }

  #note(each: Observed): void {
    const recorded = this.#recordedOf(each);
    if (recorded === undefined) return;
    this.#seen.push({ ...recorded, atMs: each.atMs, cause: this.#context.getStore() });
    this.#context.enterWith(this.#first + this.#seen.length - 1);
    if (this.#seen.length <= mostKept) return;
    this.#seen = this.#seen.slice(mostKept / 2);
    this.#first += mostKept / 2;
  }

  #recordedOf(each: Observed): Omit<Recorded, 'atMs'> | undefined {
    switch (each.kind) {
      case 'entity.state':
        if (each.machine === 'peer' && each.state?.startsWith('lost') !== true) return undefined;
        return {
          source: 'state',
          place: placeOf(each.owner),
          text: `${each.machine} ${each.key} of ${each.owner}: ${each.before ?? 'new'} > ${each.state ?? 'gone'}`,
          about: [each.key, each.owner],
        };
      case 'instance.status':
        return {
          source: 'status',
          place: placeOf(each.instance),
          about: [each.instance],
          text: `${each.instance} is ${each.status}`,
        };
      case 'instance.crashed':
        return {
          source: 'crash',
          place: placeOf(each.instance),
          about: [each.instance],
          text: `${each.instance} crashes: ${each.reason}`,
        };
      case 'envelope.sent':
        return enveloped('sent', each);
      case 'envelope.delivered':
        return enveloped('delivered', each);
      case 'envelope.dead':
        return enveloped('dead', each, ` was dropped: ${each.reason}${this.#faults()}`);
      case 'fault.inflicted':
        this.#active.set(each.fault, writtenVerb(each.verb));
        return { ...faultOf(each), text: ['fault', writtenVerb(each.verb), ...each.args.map(argText)].join(' ') };
      case 'fault.mended':
        if (each.verb === 'mend') this.#active.clear();
        this.#active.delete(each.fault);
        return undefined;
      case 'request.received':
        if (each.sender !== undefined) this.#senders.set(each.id, each.sender);
        return { ...requested('request', each, ''), sender: each.sender };
      case 'request.answered': {
        const sender = this.#senders.get(each.id);
        this.#senders.delete(each.id);
        return { ...requested('answer', each, `: ${each.status}`), says: quoted(each), sender };
      }
      case 'outside.sent':
        return sentOutside(each);
    }
  }

  #faults(): string {
    return this.#active.size === 0 ? '' : ` (active: ${[...new Set(this.#active.values())].join(', ')})`;
  }

  /**
   * The last answer that the failure quotes, else the last event before `end` of what it names: an entity or a message, else what its
   * use case or drill was answered last, else the owner of an entity, else an instance. A step that fails names none of these, but has an answer.
   */
  #startOf({ kind, text, name = '' }: ToExplain, end: number): number | undefined {
    const words = wordsIn(text);
    const senders = sendersOf(name, words);
    const named = (depth: number, source?: Source) =>
      this.#last(
        end,
        (each) => words.has(each.about[depth] ?? '') && (each.source === 'status') === (source === 'status'),
      );
    const answer = kind === 'step' ? this.#last(end, ({ source }) => source === 'answer') : undefined;
    const isQuoted = ({ says = '' }: Recorded) => says !== '' && text.includes(says);
    const isAsked = ({ source, asks = '', place }: Recorded) =>
      source === 'answer' && text.includes(`${asks}:`) && words.has(place);
    const ofPlayed = () => this.#last(end, ({ source, sender = '' }) => source === 'answer' && senders.has(sender));
    const ofCall = () => this.#last(end, ({ calls = [] }) => calls.some((call) => words.has(call)));
    const first = answer ?? this.#last(end, isQuoted) ?? this.#last(end, isAsked) ?? named(0) ?? ofCall();
    return first ?? ofPlayed() ?? named(1) ?? named(0, 'status');
  }

  /** The last message of a call since the first request of the use case or drill that failed: the cluster has no other calls then. */
  #lastOfCalls(failure: ToExplain, end: number): number | undefined {
    const from = this.#beginOf(failure);
    const last = this.#last(end, ({ source, isOfCall }) => source === 'sip' && isOfCall === true);
    return from < 0 || last === undefined || last < from ? undefined : last;
  }

  /** The first request of the use case or drill that failed; -1: it is of neither. */
  #beginOf({ text, name = '' }: ToExplain): number {
    const senders = sendersOf(name, wordsIn(text));
    return this.#seen.findIndex(({ sender = '' }) => senders.has(sender));
  }

  #causeOf(at: number): number | undefined {
    const link = this.#seen[at];
    if (link === undefined || link.source === 'fault' || link.source === 'request') return undefined;
    const { source, id, atMs, place } = link;
    // What waits for a reply goes on in the context of its beginning, without a trace of the reply.
    if (source === 'answer')
      return (
        this.#last(at, (each) => each.atMs === atMs && each.re !== undefined && isReplyIn(each, place)) ??
        this.#last(at, (each) => each.source === 'request' && each.id === id)
      );
    if (source === 'delivered' || source === 'dead')
      return this.#last(at, (each) => each.source === 'sent' && each.id === id) ?? this.#contextOf(link);
    let cause = this.#contextOf(link);
    if (source === 'sent' && this.#at(cause)?.atMs !== atMs) cause = this.#replyBefore(at, link) ?? cause;
    for (let before = this.#at(cause); before?.source === 'sent'; before = this.#at(cause)) {
      const { id: sent, text, cause: next } = before;
      const reply = this.#last(at, (each) => each.source === 'delivered' && each.re === sent);
      if (reply !== undefined) return reply;
      // What is only sent has no effect on what its sender does next.
      if (text.includes(' ask from ') || next === undefined) return cause;
      cause = this.#contextOf(before);
    }
    return cause;
  }

  /** The reply to the sender that came at the moment of the sending. */
  #replyBefore(at: number, { atMs, about }: Recorded): number | undefined {
    const sender = about.at(-2);
    const isIt = (each: Recorded) =>
      each.source === 'delivered' && each.re !== undefined && each.about.at(-1) === sender;
    return this.#last(at, (each) => each.atMs === atMs && isIt(each));
  }

  #at(at: number | undefined): Recorded | undefined {
    return at === undefined ? undefined : this.#seen[at];
  }

  /** A message that arrives when a fault is lifted, such as the pause of its node, has waited for that. */
  #heldUntil(at: number, link: Recorded): Recorded {
    if (link.source !== 'delivered') return link;
    const isLift = (each: Recorded) => each.source === 'fault' && each.atMs === link.atMs && lifting.test(each.text);
    const lift = this.#seen[this.#last(at, isLift) ?? -1];
    return lift === undefined ? link : { ...link, text: `${link.text}, held until ${lift.text}` };
  }

  /** What the instances of an event became at its moment, the last first. */
  #statusesAt(start: number): Recorded[] {
    const { atMs, about } = this.#seen[start] as Recorded;
    const found = this.#seen.slice(0, start).filter((each) => each.source === 'status' && each.atMs === atMs);
    return found.filter((each) => about.includes(each.about[0] ?? '')).reverse();
  }

  #contextOf({ cause }: Recorded): number | undefined {
    return cause === undefined || cause < this.#first ? undefined : cause - this.#first;
  }

  /** The last ones; of a use case or drill: since it began, if there are any. */
  #faultsBefore(failure: ToExplain, end: number): Recorded[] {
    const before = this.#seen.slice(0, end).filter(({ source }) => source === 'fault');
    const since = this.#seen[this.#beginOf(failure)]?.atMs ?? 0;
    const own = before.filter(({ atMs }) => atMs >= since);
    return (own.length > 0 ? own : before)
      .toReversed()
      .slice(0, mostFaults)
      .map((each) => ({ ...each, text: `${each.text}, earlier and not known to be a cause` }));
  }

  #last(before: number, fits: (each: Recorded) => boolean): number | undefined {
    for (let at = before - 1; at >= 0; at -= 1) if (fits(this.#seen[at] as Recorded)) return at;
    return undefined;
  }

  /** The last messages about the same that were sent and did not arrive. */
  #lostBefore(start: number): Recorded[] {
    const [subject] = this.#seen[start]?.about ?? [];
    const own = this.#seen.slice(0, start + 1).filter(({ about }) => about[0] === subject);
    const arrived = new Set(own.filter(({ source }) => source === 'delivered').map(({ id }) => id));
    const lost = own.filter(({ source, id }) => source === 'sent' && !arrived.has(id)).slice(-mostLost);
    return lost.map((each) => ({ ...each, text: `${each.text}, which did not arrive by then` }));
  }
}

function isReplyIn({ source, place }: Recorded, site: string): boolean {
  return source === 'delivered' && place.startsWith(`${site}/`);
}

/** `site/node` of an address; an endpoint outside is a place of its own. */
function placeOf(owner: string): string {
  const [site, node] = owner.split('/');
  return node === undefined ? owner : `${site}/${node}`;
}

function enveloped(
  source: Source,
  { envelope }: { readonly envelope: Envelope },
  end = '',
): Omit<Recorded, 'atMs'> | undefined {
  const { id, type, from, to, re, body } = envelope;
  if (background.test(type)) return undefined;
  const { callid, method, status } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const what = type === 'sip' ? `sip ${status ?? ''} ${method}`.replace('  ', ' ') : `${type} ${envelope.kind}`;
  const about = typeof callid === 'string' ? [callid] : [id];
  const verb = source === 'delivered' ? 'reaches' : 'to';
  const place = source === 'delivered' ? placeOf(to) : placeOf(from);
  return {
    source,
    place,
    text: `${what} from ${from} ${verb} ${to}${end}`,
    about: [...about, from, to],
    id,
    re,
    calls: callsIn(body),
  };
}

/** Of a SIP message, or of events that a source has published. */
function callsIn(body: unknown): string[] {
  const { inviteid, items } = (body ?? {}) as { readonly inviteid?: unknown; readonly items?: readonly StreamItem[] };
  if (typeof inviteid === 'string') return [inviteid];
  if (!Array.isArray(items)) return [];
  return items.flatMap(({ event, dialog }: StreamItem) => {
    const id = event?.data?.['inviteid'] ?? dialog?.inviteid;
    return typeof id === 'string' ? [id] : [];
  });
}

function faultOf({ args }: { readonly args: readonly unknown[] }) {
  return { source: 'fault', place: '', about: [String(args[0])] } as const;
}

function requested(
  source: 'request' | 'answer',
  { id, site, method, target }: { id: number; site: string; method: string; target: string },
  end: string,
): Omit<Recorded, 'atMs'> {
  const name = `request ${id}`;
  const asks = `${method} ${target}`;
  return { source, place: site, text: `${asks} at ${site}${end}`, about: [name, site], id: name, asks };
}

function sentOutside({ from, to, message, isLost = false }: ObservationOf<'outside.sent'>): Omit<Recorded, 'atMs'> {
  const { callid, method, inviteid } = message;
  const what = message.kind === 'response' ? `sip ${message.status} ${method}` : `sip ${method}`;
  return {
    source: 'sip',
    place: placeOf(from),
    text: `${what} of ${callid} from ${from} to ${to}${isLost ? ', which is lost' : ''}`,
    about: [callid, from, to],
    calls: inviteid === undefined ? [] : [inviteid],
    isOfCall: !apart.test(method),
  };
}

function wordsIn(text: string): Set<string> {
  return new Set(text.split(/[\s,;:"'()]+/).filter((word) => word !== ''));
}

/** The addresses of the clients of a use case or drill, and of the use case that a drill plays, which its failures name. */
function sendersOf(failed: string, words: ReadonlySet<string>): Set<string> {
  const played = oracles.filter(({ name, sender }) => sender !== undefined && (name === failed || words.has(name)));
  return new Set(played.map(({ sender = '' }) => sender));
}

/** The beginning of its body; empty without one. */
function quoted({ status, body }: ObservationOf<'request.answered'>): string {
  return body === undefined || body === '' ? '' : `${status} ${body.slice(0, quotedChars)}`;
}

/** As a scenario has it: `crash` for `crashNode`. */
function writtenVerb(verb: string): string {
  return verb.replace(/(Node|Instance)$/, '');
}

function argText(arg: unknown): string {
  return typeof arg === 'string' ? arg : JSON.stringify(arg);
}

function timeOf(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
