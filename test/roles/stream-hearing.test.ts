/** A listener hears what a source tells: each item once, in order, whatever the way in between does to them. */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/clock.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import type { RoleScope } from '../../src/cluster/role.ts';
import { type Fault, failed, fault, type Outcome } from '../../src/model/fault.ts';
import type { BodyOf } from '../../src/model/protocol/catalogue.ts';
import { noFaultPoints } from '../../src/ports/fault-points.ts';
import { Hearing } from '../../src/roles/stream/hearing.ts';
import { EventSource } from '../../src/roles/stream/source.ts';
import { defaultMap } from '../kit/maps.ts';
import { holds } from '../kit/property.ts';
import { idle } from '../kit/quiet.ts';

type Told = BodyOf<'stream.told'>;

const b2b = defaultMap.instance('north/n1/b2b-214');
const away: Outcome<never> = failed(fault('unreachable', 'cut off'));

/** One source, one listener, and the way between them as a test wants it. */
class Way {
  readonly clock = new VirtualClock(1_000);
  readonly sent: Told[] = [];
  /** `epoch:gone`, in the order in which items were handed on. */
  readonly heard: string[] = [];
  /** Numbers behind what was lost for good; of earlier lives too, which nobody can ask any more. */
  readonly losses: number[] = [];
  readonly lossesOf: number[] = [];
  readonly lives: number[] = [];
  readonly reads: number[] = [];
  crash: unknown;
  isCut = false;
  refusal: Fault | undefined;
  source = this.#live();
  readonly hearing = new Hearing({
    scope: {
      ask: (async (_to: string, _type: string, body: { after: number }) => this.#read(body)) as never,
      crash: (error) => {
        this.crash = error;
      },
    },
    source: b2b,
    onItem: ({ gone }, epoch) => this.heard.push(`${epoch}:${gone}`),
    onLife: (epoch) => this.lives.push(epoch),
    onLoss: (n) => {
      this.losses.push(n);
      this.lossesOf.push(this.hearing.epoch);
    },
  });
  #told = 0;

  tell(): void {
    this.#told += 1;
    this.source.tell({ gone: String(this.#told) });
  }

  /** The source dies, and another life of it begins. */
  restart(): void {
    this.clock.advanceTo(this.clock.now() + 1);
    this.source = this.#live();
    this.#told = 0;
  }

  get epoch(): number {
    return this.clock.now();
  }

  deliver(index: number): void {
    const told = this.sent[index];
    if (told !== undefined) this.hearing.told(told.epoch, told.items);
  }

  #read(body: { after: number }) {
    this.reads.push(body.after);
    if (this.refusal !== undefined) return failed(this.refusal);
    return this.isCut ? away : this.source.handlers['stream.read'](body);
  }

  #live(): EventSource {
    const { clock } = this;
    const tell = (to: string, _type: string, body: unknown) => {
      if (to.endsWith('callstore-216')) this.sent.push(body as Told);
    };
    const faultPoints = noFaultPoints;
    const scope = {
      clock,
      faultPoints,
      epoch: clock.now(),
      random: new SeededRandom(1),
      map: defaultMap,
      instance: b2b,
      tell,
    };
    return new EventSource(scope as unknown as RoleScope);
  }
}

type Step = { do: 'tell' | 'restart' | 'cut' | 'mend' | 'look' } | { do: 'deliver' | 'lose'; pick: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ do: 'tell' as const }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('deliver' as const, 'lose' as const), pick: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cut' as const, 'mend' as const, 'look' as const) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

test('items that are lost, doubled, late and out of order are handed on once each, in order; of the last life all', (t) =>
  holds(
    t,
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const way = new Way();
      for (const each of steps) {
        const pick = 'pick' in each ? each.pick % Math.max(1, way.sent.length) : 0;
        if (each.do === 'tell') way.tell();
        if (each.do === 'restart') way.restart();
        if (each.do === 'cut') way.isCut = true;
        if (each.do === 'mend') way.isCut = false;
        if (each.do === 'look') way.hearing.look();
        if (each.do === 'deliver') way.deliver(pick);
        if (each.do === 'lose') way.sent.splice(pick, 1);
        await idle();
      }
      way.isCut = false;
      way.tell();
      assert.equal(await way.hearing.catchUp(), true);
      assert.equal(way.crash, undefined);
      const order = way.heard.map((each) => each.split(':').map(Number) as [number, number]);
      const sorted = order.toSorted(([a, i], [b, j]) => a - b || i - j);
      assert.deepEqual(order, sorted);
      assert.equal(new Set(way.heard).size, way.heard.length);
      const last = order.filter(([epoch]) => epoch === way.epoch).map(([, n]) => n);
      assert.deepEqual(
        last,
        Array.from({ length: last.at(-1) ?? 0 }, (_, i) => i + 1),
      );
      assert.ok(last.length > 0);
      assert.ok(!way.lossesOf.includes(way.epoch));
    }),
    { numRuns: 300 },
  ));

test('an item whose predecessor is missing waits until that was asked for', async (t) => {
  const way = new Way();
  for (let i = 0; i < 3; i++) way.tell();
  way.deliver(0);
  way.deliver(2);
  t.deepEqual(way.heard, ['1000:1']);
  await idle();
  t.deepEqual(way.heard, ['1000:1', '1000:2', '1000:3']);
  t.deepEqual(way.reads, [1]);
});

test('an item that is told while a gap is asked for, and has a gap of its own, is not forgotten', async (t) => {
  const way = new Way();
  for (let i = 0; i < 3; i++) way.tell();
  way.deliver(2);
  for (let i = 0; i < 2; i++) way.tell();
  way.deliver(4);
  await idle();
  t.is(way.heard.length, 5);
});

test('of a source that is silent nothing is asked while it tells, and once when it does not', async (t) => {
  const way = new Way();
  way.tell();
  way.deliver(0);
  way.hearing.look();
  await idle();
  t.deepEqual(way.reads, []);
  way.tell();
  way.hearing.look();
  await idle();
  t.deepEqual(way.reads, [1]);
  t.is(way.heard.length, 2);
});

test('what a source does not have any more is lost, and is told as such; what is there goes on', async (t) => {
  const way = new Way();
  for (let i = 0; i < 20_010; i++) way.tell();
  way.deliver(0);
  await way.hearing.catchUp();
  t.deepEqual(way.losses, [11]);
  t.deepEqual(way.heard.slice(0, 2), ['1000:1', '1000:11']);
  t.is(way.heard.length, 20_001);
});

test('what waits for items of a life that is over goes on without them', (t) => {
  const way = new Way();
  for (let i = 0; i < 4; i++) way.tell();
  way.isCut = true;
  way.deliver(0);
  way.deliver(3);
  way.hearing.end();
  t.deepEqual(way.heard, ['1000:1', '1000:4']);
  t.deepEqual(way.losses, [4]);
});

test('a source that gives nothing any more since it stands by does not hold up what it has told', async (t) => {
  const way = new Way();
  way.refusal = fault('standby', 'not now');
  for (let i = 0; i < 3; i++) way.tell();
  way.deliver(2);
  await idle();
  t.deepEqual(way.heard, ['1000:3']);
});

test('a new life ends the one before: what comes late of that is dropped', async (t) => {
  const way = new Way();
  for (let i = 0; i < 3; i++) way.tell();
  way.deliver(0);
  way.restart();
  way.tell();
  way.deliver(3);
  way.deliver(1);
  await idle();
  t.deepEqual(way.lives, [1_000, 1_001]);
  t.deepEqual(way.heard, ['1000:1', '1001:1']);
});

test('a source tells what happens at one instant in one message, and the end of a call at once', (t) => {
  const way = new Way();
  const event = { class: 'callevents' as const, name: 'invite', domains: [], objects: [], data: {} };
  way.source.tell({ event });
  way.source.tell({ event });
  t.is(way.sent.length, 0);
  way.source.tell({ gone: '1' });
  t.deepEqual(
    way.sent.map(({ items }) => items.map(({ n }) => n)),
    [[1, 2, 3]],
  );
  way.source.tell({ event });
  way.clock.advanceTo(way.clock.now());
  t.is(way.sent.length, 2);
});
