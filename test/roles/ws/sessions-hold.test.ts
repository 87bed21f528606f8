/** Sessions over any sequence of logins, uses, switches, logouts, crashes, cuts and mends. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Stores } from '../../../src/ports/store.ts';
import { noticeMs, SessionFronts, user } from '../../kit/http/session-fronts.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { spoiltStores } from '../../planted/spoiling.ts';

const count = 3;
const most = 6;
/** All that is in reach is noticed, and was asked which sessions are closed. */
const settledMs = noticeMs + 100;

interface Known {
  readonly id: string;
  domain: string;
  /** Fronts that have it. */
  readonly holders: Set<number>;
  /** Fronts that have stored that it is closed. */
  readonly knowers: Set<number>;
}

/** The fronts, and what must be true of them. */
class Model {
  readonly fronts: SessionFronts;
  readonly sessions: Known[] = [];
  #domains = 0;

  constructor(spoil?: (stores: Stores) => Stores) {
    this.fronts = new SessionFronts(spoil && { spoil });
  }

  #together(front: number): number[] {
    return Array.from({ length: count }, (_, index) => index).filter((other) => this.fronts.areTogether(front, other));
  }

  /** Time passes, in which all fronts in reach of each other learn what one of them knows. */
  async settle(): Promise<void> {
    await this.fronts.wait(settledMs);
    for (const { knowers, holders } of this.sessions) {
      for (const knower of [...knowers]) for (const other of this.#together(knower)) knowers.add(other);
      for (const knower of knowers) holders.delete(knower);
    }
  }

  async open(front: number): Promise<void> {
    if (!this.fronts.isUp(front) || this.sessions.length >= most) return;
    const outcome = await this.fronts.comes(this.fronts.sessions(front).open(user, 'd0'));
    assert.ok(outcome.ok);
    const holders = new Set(this.#together(front));
    this.sessions.push({ id: outcome.value.id, domain: 'd0', holders, knowers: new Set() });
  }

  /** One of the opened sessions. */
  #pick(which: number): Known | undefined {
    return this.sessions[which % Math.max(1, this.sessions.length)];
  }

  async use(front: number, which: number): Promise<boolean> {
    const session = this.#pick(which);
    if (session === undefined || !this.fronts.isUp(front)) return false;
    const domain = await this.fronts.accepts(front, session.id);
    const others = this.#together(front);
    if (session.knowers.has(front)) assert.equal(domain, undefined, `front ${front} accepts closed session ${which}`);
    else if (others.some((other) => session.holders.has(other)))
      assert.notEqual(domain, undefined, `front ${front} refuses session ${which}`);
    if (domain !== undefined) for (const other of others) session.holders.add(other);
    return domain !== undefined;
  }

  async switch(front: number, which: number): Promise<void> {
    if (!(await this.use(front, which))) return;
    const session = this.#pick(which) as Known;
    const sessions = this.fronts.sessions(front);
    const record = sessions.use(session.id);
    assert.ok(record !== undefined);
    this.#domains += 1;
    const domain = `d${this.#domains}`;
    const outcome = await this.fronts.comes(sessions.switchDomain(record, domain));
    assert.ok(outcome.ok);
    session.domain = domain;
  }

  async close(front: number, which: number): Promise<void> {
    if (!(await this.use(front, which))) return;
    const session = this.#pick(which) as Known;
    const sessions = this.fronts.sessions(front);
    const record = sessions.use(session.id);
    assert.ok(record !== undefined);
    assert.ok((await this.fronts.comes(sessions.close(record))).ok);
    session.knowers.add(front);
  }

  crash(front: number): void {
    this.fronts.crash(front);
    for (const { holders } of this.sessions) holders.delete(front);
  }

  /** Once all is mended and runs, what was closed is closed everywhere, and what was not is where it was bound last. */
  async heal(): Promise<void> {
    this.fronts.cut([0, 0, 0]);
    for (let front = 0; front < count; front += 1) this.fronts.start(front);
    await this.settle();
    for (const [which, { id, domain, knowers, holders }] of this.sessions.entries()) {
      const isHeld = holders.size > 0;
      for (let front = 0; front < count; front += 1) {
        const bound = await this.fronts.accepts(front, id);
        if (knowers.size > 0) assert.equal(bound, undefined, `front ${front} accepts closed session ${which}`);
        else if (isHeld) assert.equal(bound, domain, `session ${which} at front ${front}`);
      }
    }
  }
}

type Step = (model: Model) => Promise<void> | void;

const front = fc.nat({ max: count - 1 });
const which = fc.nat({ max: most - 1 });
const named = <T extends unknown[]>(name: string, parts: fc.Arbitrary<T>, run: (model: Model, ...args: T) => unknown) =>
  parts.map((args) => {
    const step: Step = async (model) => void (await run(model, ...args));
    return Object.assign(step, { [fc.toStringMethod]: () => `${name}(${args.join(',')})` });
  });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: named('open', fc.tuple(front), (model, at) => model.open(at)) },
  { weight: 4, arbitrary: named('use', fc.tuple(front, which), (model, at, n) => model.use(at, n)) },
  { weight: 2, arbitrary: named('switch', fc.tuple(front, which), (model, at, n) => model.switch(at, n)) },
  { weight: 3, arbitrary: named('close', fc.tuple(front, which), (model, at, n) => model.close(at, n)) },
  { weight: 2, arbitrary: named('crash', fc.tuple(front), (model, at) => model.crash(at)) },
  { weight: 3, arbitrary: named('start', fc.tuple(front), (model, at) => model.fronts.start(at)) },
  { weight: 2, arbitrary: named('cut', fc.tuple(front, front, front), (model, ...sides) => model.fronts.cut(sides)) },
  { weight: 1, arbitrary: named('mend', fc.tuple(), (model) => model.fronts.cut([0, 0, 0])) },
);

function property(spoil?: (stores: Stores) => Stores) {
  return fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30, size: 'max' }), async (steps) => {
    const model = new Model(spoil);
    await model.settle();
    for (const take of steps) {
      await take(model);
      await model.settle();
    }
    await model.heal();
  });
}

test('a closed session stays closed and an open one keeps its domain, whatever restarts, is cut off or mended', async (t) => {
  await holds(t, property(), { numRuns: runs(25) });
});

test('the same property fails where fronts store nothing', async (t) => {
  const forgetful = (stores: Stores) => spoiltStores(stores, () => ({ write: async () => {} }));
  const details = await fc.check(property(forgetful), { numRuns: 300, seed: 1, endOnFailure: true });
  t.true(details.failed);
});
