/**
 * The causal chain of a failure: from the last event of what it names back through transitions and messages to a fault, a request
 * or the beginning. The cause of an event is the last one before it in its asynchronous context, which timers, writes to stores
 * and promises keep; of a message that arrives it is the sending, and of what follows a reply the reply.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { ObservationOf } from '../observation/observation.ts';
import { oracles } from '../oracles/all.ts';
import { EndpointNames } from '../outside/endpoint-names.ts';
import { VirtualClock } from '../ports/virtual-clock.ts';
import type { Failure } from '../scenario/report.ts';
import type { World } from '../world/world.ts';
import {
  argText,
  type ChainLink,
  enveloped,
  faultOf,
  type LinkSource,
  placeOf,
  quoted,
  requested,
  sentOutside,
  sentToSocket,
  sessionIn,
  writtenVerb,
} from './chain-link.ts';

/** Only the last ones are kept. */
const mostKept = 200_000;
const mostLinks = 30;
/** Of the calls of a use case or drill, beside its last answer. */
const mostLinksOfCalls = 15;
const mostLost = 3;
const mostFaults = 3;
const lifting = /^fault (resume|mend)\b/;

const observed = [
  ...([
    'entity.state',
    'instance.status',
    'instance.crashed',
    'envelope.sent',
    'envelope.delivered',
    'envelope.dead',
  ] as const),
  ...([
    'fault.inflicted',
    'fault.mended',
    'request.received',
    'request.answered',
    'outside.sent',
    'socket.message',
  ] as const),
];
type Observed = ObservationOf<(typeof observed)[number]>;

/** A failure, with its time since the cluster was ready. */
export type ToExplain = Pick<Failure, 'kind' | 'text' | 'atMs'> & Partial<Pick<Failure, 'name'>>;

export class CausalChain {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #context = new AsyncLocalStorage<number>();
  #seen: ChainLink[] = [];
  /** Number of the first one that is kept. */
  #first = 0;
  /** Active faults by their numbers. */
  readonly #active = new Map<number, string>();
  /** Addresses of the clients of open requests, by their ids. */
  readonly #senders = new Map<number, string>();
  /** The same of sessions, by their tokens. */
  readonly #sessions = new Map<string, string>();

  /** Made before the world starts. */
  constructor(world: World) {
    this.#world = world;
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
   * last faults where no cause is one. Phones, providers and edges have their names. `since`: the time of a run.
   */
  of(failure: ToExplain, since: (worldMs: number) => number): string[] {
    const end = this.#seen.findLastIndex((each) => since(each.atMs) <= failure.atMs) + 1;
    const start = this.#startOf(failure, end);
    const chain = this.#chainFrom(start, mostLinks);
    const lost = start === undefined ? [] : this.#lostBefore(start);
    const ofCalls = this.#chainFrom(this.#lastOfCalls(failure, end), mostLinksOfCalls);
    const links = [...chain, ...lost, ...ofCalls.filter((link) => !chain.includes(link))];
    const faults = links.some(({ source }) => source === 'fault') ? [] : this.#faultsBefore(failure, end);
    const names = new EndpointNames(this.#world);
    return [...links, ...faults].map(({ atMs, text }) => `${timeOf(since(atMs))} ${names.inText(text)}`);
  }

  #chainFrom(start: number | undefined, most: number): ChainLink[] {
    const chain: ChainLink[] = [];
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

  #recordedOf(each: Observed): Omit<ChainLink, 'atMs'> | undefined {
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
        const session = sessionIn(each);
        if (session !== undefined && sender !== undefined) this.#sessions.set(session, sender);
        return { ...requested('answer', each, `: ${each.status}`), says: quoted(each), sender };
      }
      case 'outside.sent':
        return sentOutside(each);
      case 'socket.message':
        return each.direction === 'in' ? undefined : sentToSocket(each, this.#sessions.get(each.client));
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
    const named = (depth: number, source?: LinkSource) =>
      this.#last(
        end,
        (each) => words.has(each.about[depth] ?? '') && (each.source === 'status') === (source === 'status'),
      );
    const answer = kind === 'step' ? this.#last(end, ({ source }) => source === 'answer') : undefined;
    const isQuoted = ({ says = '' }: ChainLink) => says !== '' && text.includes(says);
    const isAsked = ({ source, asks = '', place }: ChainLink) =>
      source === 'answer' && text.includes(`${asks}:`) && words.has(place);
    const ofPlayed = () =>
      this.#last(end, ({ source, sender = '' }) => /^(answer|socket)$/.test(source) && senders.has(sender));
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
  #replyBefore(at: number, { atMs, about }: ChainLink): number | undefined {
    const sender = about.at(-2);
    const isIt = (each: ChainLink) =>
      each.source === 'delivered' && each.re !== undefined && each.about.at(-1) === sender;
    return this.#last(at, (each) => each.atMs === atMs && isIt(each));
  }

  #at(at: number | undefined): ChainLink | undefined {
    return at === undefined ? undefined : this.#seen[at];
  }

  /** A message that arrives when a fault is lifted, such as the pause of its node, has waited for that. */
  #heldUntil(at: number, link: ChainLink): ChainLink {
    if (link.source !== 'delivered') return link;
    const isLift = (each: ChainLink) => each.source === 'fault' && each.atMs === link.atMs && lifting.test(each.text);
    const lift = this.#seen[this.#last(at, isLift) ?? -1];
    return lift === undefined ? link : { ...link, text: `${link.text}, held until ${lift.text}` };
  }

  /** What the instances of an event became at its moment, the last first. */
  #statusesAt(start: number): ChainLink[] {
    const { atMs, about } = this.#seen[start] as ChainLink;
    const found = this.#seen.slice(0, start).filter((each) => each.source === 'status' && each.atMs === atMs);
    return found.filter((each) => about.includes(each.about[0] ?? '')).reverse();
  }

  #contextOf({ cause }: ChainLink): number | undefined {
    return cause === undefined || cause < this.#first ? undefined : cause - this.#first;
  }

  /** The last ones; of a use case or drill: since it began, if there are any. */
  #faultsBefore(failure: ToExplain, end: number): ChainLink[] {
    const before = this.#seen.slice(0, end).filter(({ source }) => source === 'fault');
    const since = this.#seen[this.#beginOf(failure)]?.atMs ?? 0;
    const own = before.filter(({ atMs }) => atMs >= since);
    return (own.length > 0 ? own : before)
      .toReversed()
      .slice(0, mostFaults)
      .map((each) => ({ ...each, text: `${each.text}, earlier and not known to be a cause` }));
  }

  #last(before: number, fits: (each: ChainLink) => boolean): number | undefined {
    for (let at = before - 1; at >= 0; at -= 1) if (fits(this.#seen[at] as ChainLink)) return at;
    return undefined;
  }

  /** The last messages about the same that were sent and did not arrive. */
  #lostBefore(start: number): ChainLink[] {
    const [subject] = this.#seen[start]?.about ?? [];
    const own = this.#seen.slice(0, start + 1).filter(({ about }) => about[0] === subject);
    const arrived = new Set(own.filter(({ source }) => source === 'delivered').map(({ id }) => id));
    const lost = own.filter(({ source, id }) => source === 'sent' && !arrived.has(id)).slice(-mostLost);
    return lost.map((each) => ({ ...each, text: `${each.text}, which did not arrive by then` }));
  }
}

function isReplyIn({ source, place }: ChainLink, site: string): boolean {
  return source === 'delivered' && place.startsWith(`${site}/`);
}

function wordsIn(text: string): Set<string> {
  return new Set(text.split(/[\s,;:"'()]+/).filter((word) => word !== ''));
}

/** The addresses of the clients of a use case or drill, and of the use case that a drill plays, which its failures name. */
function sendersOf(failed: string, words: ReadonlySet<string>): Set<string> {
  const played = oracles.filter(({ name, sender }) => sender !== undefined && (name === failed || words.has(name)));
  return new Set(played.map(({ sender = '' }) => sender));
}

function timeOf(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
