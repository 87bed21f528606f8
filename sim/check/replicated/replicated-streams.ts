/**
 * The stream of a source that restarts, and a consumer (`replication/sequence-log.ts`, `stream-consumer.ts`): numbers begin anew with each epoch, the
 * source keeps only its last items, and messages overtake each other, are lost, or come late, from an epoch that is over.
 */
import { type LogPosition, type Numbered, SequenceLog } from '../../../src/replication/sequence-log.ts';
import { StreamConsumer } from '../../../src/replication/stream-consumer.ts';
import {
  actionList,
  type DataAction,
  type DataCheck,
  type DataMessage,
  type DataState,
} from '../system/data-system.ts';
import {
  endPull,
  freeNumber,
  hasDeadline,
  isUsed,
  lookAtSource,
  notice,
  type Pulling,
  passDeadline,
  startPulling,
  waitsFor,
} from './pulling.ts';

const source = 'source';
const consumer = 'consumer';
/** Items that the source keeps, and that it sends at once. */
const kept = 2;
const page = { count: 1, bytes: 1_000 };

type Said =
  | { type: 'published'; epoch: number; n: number }
  | { type: 'read'; ask: number; incarnation: number; after: LogPosition }
  | { type: 'page'; ask: number; epoch: number; last: number; items: Numbered[] };
type StreamMessage = DataMessage & Said;

interface StreamState extends DataState<StreamMessage> {
  source: { epoch: number; last: number };
  consumer: {
    position: LogPosition;
    held: number[];
    /** Incarnation of the source that it has in reach; 0: none. */
    seen: number;
    pulling: Pulling;
    /** Up to here items were handed on, or reported as lost. */
    told: LogPosition;
  };
  items: number;
  restarts: number;
  misses: number;
  /** What the consumer did wrong. */
  wrong: string;
}

/** What a spoilt version has otherwise. */
export interface StreamRules {
  readonly makeLog: (epoch: number, limit: number) => SequenceLog<Numbered>;
  readonly isNext: (epoch: number, known: number | undefined) => boolean;
}

const streamRules: StreamRules = {
  makeLog: (epoch, limit) => new SequenceLog(epoch, limit),
  // As the sources of a callstore are followed (`roles/callstore/call-sources.ts`).
  isNext: (epoch, known = 0) => epoch > known,
};

class StreamRun {
  readonly #rules: StreamRules;
  readonly #state: StreamState;

  constructor(rules: StreamRules, state: StreamState) {
    this.#rules = rules;
    this.#state = state;
  }

  publish(): void {
    const { source: its } = this.#state;
    this.#state.items -= 1;
    its.last += 1;
    this.#send({ from: source, to: consumer, type: 'published', epoch: its.epoch, n: its.last });
  }

  restart(): void {
    this.#state.restarts -= 1;
    this.#state.source = { epoch: this.#state.source.epoch + 1, last: 0 };
  }

  look(isThere: boolean): void {
    this.#state.misses -= isThere ? 0 : 1;
    this.#state.consumer.seen = isThere ? this.#state.source.epoch : 0;
    lookAtSource(this.#state.consumer.pulling, isThere, this.#effects);
  }

  timeOut(): void {
    endPull(this.#state.consumer.pulling, false, this.#effects);
  }

  passTime(): void {
    for (const deadline of deadlines) passDeadline(this.#state.consumer.pulling, deadline, this.#effects);
  }

  deliver(message: StreamMessage): void {
    if (message.type === 'read') return this.#read(message);
    if (message.type === 'page') return this.#take(message);
    notice(this.#state.consumer.pulling, 'message.received', this.#effects);
    const { epoch, n } = message;
    this.#consume({ epoch, n }, (stream) => stream.receive(epoch, [{ n }]));
  }

  #read({ ask, incarnation, after }: StreamMessage & { type: 'read' }): void {
    const { epoch, last } = this.#state.source;
    if (incarnation !== epoch) return;
    const log = this.#rules.makeLog(epoch, kept);
    for (let item = 0; item < last; item += 1) log.append((n) => ({ n }));
    this.#send({ from: source, to: consumer, type: 'page', ask, ...log.page(after, page) });
  }

  #take({ ask, epoch, last, items }: StreamMessage & { type: 'page' }): void {
    const { pulling } = this.#state.consumer;
    if (!waitsFor(pulling, ask)) return;
    if (!isUsed(pulling)) return endPull(pulling, false, this.#effects);
    let isMore = false;
    this.#consume(undefined, (stream) => {
      isMore = stream.takePage({ epoch, last, items }) === 'more';
    });
    if (!isUsed(pulling)) endPull(pulling, false, this.#effects);
    else if (!isMore) endPull(pulling, true, this.#effects);
    else if (pulling.running !== null) pulling.running.ask = this.#effects.ask();
  }

  /** Lets the consumer work with what it knows; `arrived`: the item that it is given. */
  #consume(arrived: LogPosition | undefined, work: (stream: StreamConsumer<Numbered>) => void): void {
    const { consumer: its } = this.#state;
    let isKnown = false;
    let hasGap = false;
    const stream = new StreamConsumer<Numbered>({
      isNext: this.#rules.isNext,
      onEntry: ({ n }, epoch) => isKnown && this.#tell({ epoch, n }, false),
      onLoss: (n) => isKnown && this.#tell({ epoch: stream.epoch ?? 0, n: n - 1 }, true),
      onGap: () => {
        hasGap ||= isKnown;
      },
    });
    if (its.position.epoch !== 0) stream.moveTo(its.position);
    stream.receive(
      its.position.epoch,
      its.held.map((n) => ({ n })),
    );
    isKnown = true;
    work(stream);
    const position = stream.position ?? its.position;
    const isSame = position.epoch === its.position.epoch;
    const given = [...(isSame ? its.held : []), ...(arrived?.epoch === position.epoch ? [arrived.n] : [])];
    its.held = [...new Set(given)].filter((n) => n > position.n).sort();
    its.position = { ...position };
    if (hasGap) notice(its.pulling, 'gap.noticed', this.#effects);
  }

  /** The consumer has handed on an item, or reported that those up to it are lost. */
  #tell(position: LogPosition, isLoss: boolean): void {
    const { consumer: its, source: of } = this.#state;
    const { told } = its;
    const text = `${position.epoch}/${position.n} after ${told.epoch}/${told.n}`;
    const before = position.epoch === told.epoch ? told.n : 0;
    if (position.epoch < told.epoch || position.n <= before) this.#state.wrong ||= `it hands on ${text}`;
    else if (!isLoss && position.n > before + 1) this.#state.wrong ||= `it skips items before ${text}`;
    const hasIt = position.epoch === of.epoch && position.n > of.last - kept;
    if (isLoss && hasIt) this.#state.wrong ||= `it gives up ${text}, which the source has`;
    its.told = position;
  }

  readonly #effects = {
    ask: () => {
      const { messages, consumer: its } = this.#state;
      const ask = freeNumber(messages, consumer, source);
      this.#send({ from: consumer, to: source, type: 'read', ask, incarnation: its.seen, after: its.position });
      return ask;
    },
  };

  #send(message: StreamMessage): void {
    this.#state.messages.push(message);
  }
}

/** One that is away is waited for: its calls are not ended here. */
const deadlines = ['retry', 'check'];

function actionsOf(rules: StreamRules, state: StreamState): DataAction<StreamState>[] {
  const { seen, pulling } = state.consumer;
  const { actions, add } = actionList((changed: StreamState) => new StreamRun(rules, changed));
  const isAsking = pulling.running !== null;
  const hasAsked = state.messages.some((message) => 'ask' in message && message.ask === pulling.running?.ask);
  if (state.items > 0) add('source publishes', (run) => run.publish());
  if (state.restarts > 0) add('source restarts', (run) => run.restart());
  if (seen !== state.source.epoch) add('consumer sees the source', (run) => run.look(true), 'next');
  if (seen !== 0 && state.misses > 0) add('consumer misses the source', (run) => run.look(false));
  if (isAsking && !hasAsked) add('consumer has no answer in time', (run) => run.timeOut(), 'next');
  const isDue = deadlines.some((name) => hasDeadline(pulling, name));
  if (isDue && state.messages.length === 0 && !isAsking)
    add('consumer pulls as time passes', (run) => run.passTime(), 'later');
  return actions;
}

/** How much may happen. */
export interface StreamFaults {
  readonly items: number;
  readonly losses: number;
  readonly duplicates: number;
  readonly restarts: number;
  readonly misses: number;
  readonly inFlight: number;
}

const usualFaults: StreamFaults = { items: 4, losses: 1, duplicates: 0, restarts: 1, misses: 0, inFlight: 3 };

function startOf({ inFlight: _, ...faults }: StreamFaults): StreamState {
  const nowhere = { epoch: 0, n: 0 };
  const pulling = { ...startPulling(), state: 'current.quiet' as const };
  return {
    messages: [],
    ...faults,
    wrong: '',
    source: { epoch: 1, last: 0 },
    consumer: { position: nowhere, held: [], seen: 1, pulling, told: nowhere },
  };
}

/** The system with the rules of the product, or with others. */
export function streamsSystem(
  other: Partial<StreamRules> = {},
  faults: StreamFaults = usualFaults,
): DataCheck<StreamMessage, StreamState> {
  const rules = { ...streamRules, ...other };
  return {
    name: 'stream+consumer',
    start: () => startOf(faults),
    deliver: (state, message) => new StreamRun(rules, state).deliver(message),
    isDead: (state, message) => 'ask' in message && state.consumer.pulling.running?.ask !== message.ask,
    actions: (state) => actionsOf(rules, state),
    rules: {
      'items are handed on in order, each once, and none is given up that the source has': ({ wrong }) =>
        wrong === '' || wrong,
    },
    agree: ({ source: its, consumer: of }) => {
      const isCurrent = of.seen === its.epoch && of.pulling.state === 'current.quiet';
      const isThere = its.last === 0 || (of.position.epoch === its.epoch && of.position.n === its.last);
      return (isCurrent && isThere) || `the consumer is at ${of.position.epoch}/${of.position.n}`;
    },
    show: ({ source: its, consumer: { position, held, pulling } }) =>
      `source ${its.epoch}/${its.last}, consumer ${position.epoch}/${position.n}${held.length === 0 ? '' : ` and ${held}`} ${pulling.state}`,
    inFlight: faults.inFlight,
    bound: { depth: 60, states: 60_000, healedWithinMs: 60_000 },
  };
}
