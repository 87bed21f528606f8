/**
 * A consumer becomes current again whatever is lost, doubled, held up or comes in another order, and whichever end crashes: nothing is
 * taken twice, nothing is missing. Of a log with positions and a snapshot, and of two copies that are merged and compared by digest.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CatchUp, type Pull, pullPages } from '../../src/replication/catch-up.ts';
import { type LogPage, type LogPosition, SequenceLog } from '../../src/replication/sequence-log.ts';
import { StreamConsumer } from '../../src/replication/stream-consumer.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { consumerOf, End, type Fate, lookSoon, Wire } from './wire.ts';

const delaysMs = { retry: 200, check: 1_000, gone: 700 } as const;
const page = { count: 2, bytes: 10_000 };
/** The source keeps so few entries that some are lost for good. */
const keptEntries = 3;

interface Change {
  readonly n: number;
  readonly key: string;
  readonly value: number;
}

/** A source with numbered changes of a state, of which it keeps the last ones. */
class Source {
  readonly #wire: Wire;
  readonly #publish: (epoch: number, changes: readonly Change[]) => void;
  readonly state = new Map<string, number>();
  readonly epoch: number;
  readonly #log: SequenceLog<Change>;

  constructor(wire: Wire, life: number, publish: (epoch: number, changes: readonly Change[]) => void) {
    this.#wire = wire;
    this.#publish = publish;
    this.epoch = life;
    this.#log = new SequenceLog(life, keptEntries);
  }

  set(key: string): void {
    const value = (this.state.get(key) ?? 0) + 1;
    this.state.set(key, value);
    const change = this.#log.append((n) => ({ n, key, value }));
    this.#wire.send(() => this.#publish(this.epoch, [change]));
  }

  read(after: LogPosition): LogPage<Change> {
    return this.#log.page(after, page);
  }

  snapshot(): LogPosition & { state: [string, number][] } {
    return { epoch: this.epoch, n: this.#log.last, state: [...this.state] };
  }
}

interface Faulty {
  /** A consumer that asks nothing by itself: it has to notice each gap. */
  readonly neverChecks?: boolean;
  /** A consumer that takes no notice of gaps. */
  readonly ignoresGaps?: boolean;
  /** A consumer that goes on without a snapshot where entries are lost for good. */
  readonly ignoresLosses?: boolean;
}

/** A consumer that keeps the same state. */
class Consumer {
  readonly state = new Map<string, number>();
  readonly catchUp: CatchUp;
  readonly #wire: Wire;
  readonly #source: () => Source | undefined;
  readonly #stream: StreamConsumer<Change>;
  #isPartial = false;
  #last: LogPosition = { epoch: 0, n: 0 };

  constructor(
    wire: Wire,
    end: End,
    source: () => Source | undefined,
    { neverChecks, ignoresGaps, ignoresLosses }: Faulty,
  ) {
    this.#wire = wire;
    this.#source = source;
    this.#stream = new StreamConsumer<Change>({
      isNext: (epoch, known = 0) => epoch > known,
      onEpoch: () => this.state.clear(),
      onEntry: (change, epoch) => this.#apply(change, epoch),
      onGap: () => {
        if (ignoresGaps !== true) this.catchUp.noticeGap();
      },
      onLoss: () => {
        this.#isPartial = ignoresLosses !== true;
        this.catchUp.noticeGap();
      },
    });
    this.catchUp = new CatchUp({
      ...consumerOf(wire, end),
      delaysMs: neverChecks === true ? { ...delaysMs, check: Number.POSITIVE_INFINITY } : delaysMs,
      pull: (_, pull) => this.#pull(pull),
    });
    this.catchUp.look();
  }

  receive(epoch: number, changes: readonly Change[]): void {
    this.catchUp.received();
    this.#stream.receive(epoch, changes);
  }

  #apply({ n, key, value }: Change, epoch: number): void {
    assert.ok(epoch > this.#last.epoch || (epoch === this.#last.epoch && n > this.#last.n), 'twice, or out of order');
    this.#last = { epoch, n };
    this.state.set(key, value);
  }

  async #pull(pull: Pull): Promise<boolean> {
    const isRead = await pullPages(
      pull,
      () => this.#wire.ask(() => this.#source()?.read(this.#stream.position ?? { epoch: 0, n: 0 })),
      (answer) => this.#stream.takePage(answer),
    );
    return isRead && this.#isPartial ? this.#takeSnapshot(pull) : isRead;
  }

  async #takeSnapshot(pull: Pull): Promise<boolean> {
    const answer = await this.#wire.ask(() => this.#source()?.snapshot());
    const position = this.#stream.position;
    if (pull.isOver || !answer.ok || position?.epoch !== answer.value.epoch) return false;
    if (answer.value.n < position.n) return false;
    this.#isPartial = false;
    for (const [key, value] of answer.value.state) this.state.set(key, value);
    this.#stream.moveTo(answer.value);
    return true;
  }
}

type Step =
  | { readonly does: 'set'; readonly key: string }
  | { readonly does: 'cut' | 'mend' | 'crash.source' | 'crash.consumer' | 'restart.source' | 'restart.consumer' }
  | { readonly does: 'pass'; readonly ms: number };

const fates = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Fate>([1]) },
    { weight: 3, arbitrary: fc.constant<Fate>([]) },
    { weight: 2, arbitrary: fc.constantFrom<Fate>([40], [150], [400]) },
    { weight: 1, arbitrary: fc.constantFrom<Fate>([1, 30], [200, 1]) },
  ),
  { minLength: 1, maxLength: 12 },
);

const steps = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ does: fc.constant('set' as const), key: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 5, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.constantFrom(1, 30, 300, 1_500) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constantFrom(
          ...(['cut', 'mend', 'crash.source', 'crash.consumer', 'restart.source', 'restart.consumer'] as const),
        ),
      }),
    },
  ),
  { maxLength: 40 },
);

/** A source and a consumer that a test breaks. */
class Stream {
  readonly wire: Wire;
  readonly #faulty: Faulty;
  readonly #sourceEnd = new End('one');
  readonly #consumerEnd = new End('other');
  source: Source | undefined;
  consumer: Consumer | undefined;

  constructor(drawn: readonly Fate[], faulty: Faulty) {
    this.wire = new Wire(drawn);
    this.#faulty = faulty;
    this.source = this.#newSource();
    this.consumer = this.#newConsumer();
  }

  async do(step: Step): Promise<void> {
    if (step.does === 'pass') return this.wire.pass(step.ms);
    if (step.does === 'set') return this.source?.set(step.key);
    if (step.does === 'cut' || step.does === 'mend') this.wire.isCut = step.does === 'cut';
    if (step.does === 'crash.source') this.#crashSource();
    if (step.does === 'crash.consumer') this.#crashConsumer();
    if (step.does === 'restart.source') this.#restartSource();
    if (step.does === 'restart.consumer') this.#restartConsumer();
    lookSoon(this.wire, () => [this.consumer?.catchUp]);
  }

  async heal(): Promise<void> {
    await this.do({ does: 'mend' });
    this.#restartSource();
    this.#restartConsumer();
    await this.wire.pass(1);
    this.wire.isReliable = true;
    await this.wire.pass(5_000);
    this.source?.set('a');
    await this.wire.pass(5_000);
  }

  #newSource(): Source {
    return new Source(this.wire, this.#sourceEnd.life, (epoch, changes) => this.consumer?.receive(epoch, changes));
  }

  #newConsumer(): Consumer {
    return new Consumer(this.wire, this.#sourceEnd, () => this.source, this.#faulty);
  }

  #crashSource(): void {
    this.#sourceEnd.crash();
    this.source = undefined;
  }

  #crashConsumer(): void {
    this.#consumerEnd.crash();
    this.consumer?.catchUp.stop();
    this.consumer = undefined;
  }

  #restartSource(): void {
    if (this.#sourceEnd.isUp) return;
    this.#sourceEnd.restart();
    this.source = this.#newSource();
  }

  #restartConsumer(): void {
    if (this.#consumerEnd.isUp) return;
    this.#consumerEnd.restart();
    this.consumer = this.#newConsumer();
  }
}

const streamIsFollowed = (faulty: Faulty) =>
  fc.asyncProperty(fates, steps, async (drawn, done) => {
    const stream = new Stream(drawn, faulty);
    for (const step of done) await stream.do(step);
    await stream.heal();
    assert.equal(stream.wire.crash, undefined);
    assert.match(stream.consumer?.catchUp.state ?? '', /^current/);
    assert.deepEqual([...(stream.consumer?.state ?? [])].sort(), [...(stream.source?.state ?? [])].sort());
  });

test('a stream with positions is followed: each entry once and in order, and the state of the source in the end', (t) =>
  holds(t, streamIsFollowed({}), { numRuns: runs(38) }));

test('a consumer that never asks by itself notices every gap when the source sends again', (t) =>
  holds(t, streamIsFollowed({ neverChecks: true }), { numRuns: runs(38) }));

test('a consumer that takes no notice of gaps is found out', async (t) => {
  t.true(
    (await fc.check(streamIsFollowed({ neverChecks: true, ignoresGaps: true }), { numRuns: 1_000, seed: 1 })).failed,
  );
});

test('a consumer that ignores lost entries and takes no snapshot is detected', async (t) => {
  t.true((await fc.check(streamIsFollowed({ ignoresLosses: true }), { numRuns: 1_000, seed: 1 })).failed);
});

type Entries = readonly (readonly [key: string, rank: number])[];
interface Compared {
  readonly isSame: boolean;
  readonly entries: Entries;
}

/** One of two copies that both change, and whose entries are merged: the one of the higher rank counts. */
class Copy {
  readonly entries = new Map<string, number>();
  readonly catchUp: CatchUp;
  readonly #wire: Wire;
  readonly #other: () => Copy | undefined;

  constructor(wire: Wire, otherEnd: End, other: () => Copy | undefined, { neverChecks }: Faulty) {
    this.#wire = wire;
    this.#other = other;
    this.catchUp = new CatchUp({
      ...consumerOf(wire, otherEnd),
      delaysMs: neverChecks === true ? { ...delaysMs, check: Number.POSITIVE_INFINITY } : delaysMs,
      pull: (_, pull) => this.#pull(pull),
    });
    this.catchUp.look();
  }

  set(key: string, rank: number): void {
    this.entries.set(key, rank);
    this.#wire.send(() => this.#other()?.merge([[key, rank]]));
  }

  merge(entries: Entries): void {
    for (const [key, rank] of entries) if (rank > (this.entries.get(key) ?? 0)) this.entries.set(key, rank);
  }

  compare(digest: string): Compared {
    return this.digest === digest ? { isSame: true, entries: [] } : { isSame: false, entries: [...this.entries] };
  }

  get digest(): string {
    return JSON.stringify([...this.entries].sort());
  }

  #pull(pull: Pull): Promise<boolean> {
    return pullPages(
      pull,
      () => this.#wire.ask(() => this.#other()?.compare(this.digest)),
      ({ entries }) => {
        this.merge(entries);
        return 'done';
      },
    );
  }
}

/** Both ends of `steps` are copies here; the source is the first one. */
class Copies {
  readonly wire: Wire;
  readonly #faulty: Faulty;
  readonly #ends = { source: new End('one'), consumer: new End('other') };
  #ranks = 0;
  source: Copy | undefined;
  consumer: Copy | undefined;

  constructor(drawn: readonly Fate[], faulty: Faulty) {
    this.wire = new Wire(drawn);
    this.#faulty = faulty;
    this.#start('source');
    this.#start('consumer');
  }

  async do(step: Step): Promise<void> {
    if (step.does === 'pass') return this.wire.pass(step.ms);
    if (step.does === 'set') return this.#set(step.key);
    if (step.does === 'cut' || step.does === 'mend') this.wire.isCut = step.does === 'cut';
    else {
      const [verb, name] = step.does.split('.') as ['crash' | 'restart', 'source' | 'consumer'];
      if (verb === 'crash') this.#crash(name);
      else this.#restart(name);
    }
    this.#lookSoon();
  }

  async heal(): Promise<void> {
    await this.do({ does: 'mend' });
    this.#restart('source');
    this.#restart('consumer');
    this.wire.isReliable = true;
    await this.wire.pass(10_000);
  }

  /** Both change, in turns. */
  #set(key: string): void {
    this.#ranks += 1;
    const copy = this.#ranks % 2 === 0 ? this.source : this.consumer;
    copy?.set(key, this.#ranks);
  }

  #start(name: 'source' | 'consumer'): void {
    const other = name === 'source' ? 'consumer' : 'source';
    this[name] = new Copy(this.wire, this.#ends[other], () => this[other], this.#faulty);
  }

  #crash(name: 'source' | 'consumer'): void {
    this.#ends[name].crash();
    this[name]?.catchUp.stop();
    this[name] = undefined;
  }

  #restart(name: 'source' | 'consumer'): void {
    if (this.#ends[name].isUp) return;
    this.#ends[name].restart();
    this.#start(name);
    this.#lookSoon();
  }

  #lookSoon(): void {
    lookSoon(this.wire, () => [this.source?.catchUp, this.consumer?.catchUp]);
  }
}

const copiesAgree = (faulty: Faulty) =>
  fc.asyncProperty(fates, steps, async (drawn, done) => {
    const copies = new Copies(drawn, faulty);
    for (const step of done) await copies.do(step);
    const kept = new Map<string, number>();
    for (const copy of [copies.source, copies.consumer]) {
      for (const [key, rank] of copy?.entries ?? []) kept.set(key, Math.max(rank, kept.get(key) ?? 0));
    }
    await copies.heal();
    assert.equal(copies.wire.crash, undefined);
    assert.equal(copies.source?.digest, copies.consumer?.digest);
    for (const [key, rank] of kept) assert.ok((copies.source?.entries.get(key) ?? 0) >= rank, `${key} is missing`);
  });

test('two copies that are merged and compared by digest agree in the end, and have all that either had', (t) =>
  holds(t, copiesAgree({}), { numRuns: runs(25) }));

test('copies that are not compared again are found out', async (t) => {
  t.true((await fc.check(copiesAgree({ neverChecks: true }), { numRuns: 1_000, seed: 1 })).failed);
});
