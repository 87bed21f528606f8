/** What the scripts of one domain take from those of others: time and memory. */
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { loadSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import { limits } from '../../src/model/limits.ts';
import { RunMemory } from '../../src/scripts/run-memory.ts';
import type { RunRecord } from '../../src/scripts/run-record.ts';
import { RunTurns } from '../../src/scripts/run-turns.ts';
import { EndedRuns } from '../../src/scripts/script-runs.ts';
import { scopedTest } from '../kit/scoped.ts';
import { ScriptEngine } from '../kit/script-engine.ts';

const test = scopedTest();

test.before(loadSandbox);

/** A rack of components of two domains, and the times at which they were executed. */
function turns() {
  const clock = new VirtualClock(0);
  const all = new RunTurns(clock);
  const executed: [string, number][] = [];
  const enter = (domain: string, letters = 0) =>
    all.enter(domain, () => {
      executed.push([domain, clock.now()]);
      all.count({ letters });
    });
  return { clock, all, executed, enter };
}

test('work that is within the share is executed at once, one component in a turn', (t) => {
  const { clock, executed, enter } = turns();
  enter('a.test');
  t.deepEqual(executed, [['a.test', 0]]);
  enter('a.test');
  t.is(executed.length, 1, 'the second waits for the next turn');
  clock.runNext();
  t.deepEqual(executed, [
    ['a.test', 0],
    ['a.test', 0],
  ]);
});

test('the domains take turns, whatever each has waiting', (t) => {
  const { clock, executed, enter } = turns();
  for (let n = 0; n < 5; n += 1) enter('a.test');
  enter('b.test');
  while (clock.runNext());
  t.deepEqual(
    executed.map(([domain]) => domain),
    ['a.test', 'a.test', 'b.test', 'a.test', 'a.test', 'a.test'],
  );
});

test('work beyond the share waits: a tenth of the time after a burst', (t) => {
  const { clock, executed, enter } = turns();
  const tenMs = 200_000;
  for (let n = 0; n < 110; n += 1) enter('a.test', tenMs);
  while (clock.runNext());
  t.is(executed.length, 110);
  t.is(executed.filter(([, at]) => at === 0).length, 10, 'a burst of 100 ms');
  const lastMs = executed.at(-1)?.[1] ?? 0;
  t.true(lastMs > 9_500 && lastMs < 10_500, `1,000 ms of work in 10 s, got ${lastMs} ms`);
});

test('nothing is executed after the end', (t) => {
  const { clock, all, executed, enter } = turns();
  enter('a.test');
  enter('a.test');
  all.stop();
  while (clock.runNext());
  t.is(executed.length, 1);
});

test('a domain has its share of memory, and all domains together theirs', (t) => {
  const memory = new RunMemory();
  const { scriptDomainChars: own, scriptMemoryChars: all } = limits;
  t.is(memory.claim('1', 'a.test', own), undefined);
  t.regex(memory.claim('2', 'a.test', 1) ?? '', /^the scripts of a\.test that run hold \d+ characters; the limit/);
  for (let n = 1; n < all / own; n += 1) t.is(memory.claim(`b${n}`, `b${n}.test`, own), undefined);
  t.regex(memory.claim('3', 'c.test', 1) ?? '', /^the scripts that run hold/);
  t.is(memory.claim('1', 'a.test', own - 10), undefined, 'a run that shrinks is not refused');
  t.is(memory.claim('3', 'c.test', 10), undefined);
  memory.release('1');
  memory.release('1');
  t.is(memory.claim('2', 'a.test', own - 10), undefined);
});

test('the last runs are kept, within a size', (t) => {
  const dropped: string[] = [];
  const ended = new EndedRuns((id) => dropped.push(id));
  const run = (id: string, letters: number) => ({ id, problem: 'x'.repeat(letters) }) as RunRecord;
  for (let n = 0; n <= limits.scriptRunsKept; n += 1) ended.keep(run(`${n}`, 1));
  t.deepEqual(dropped, ['0']);
  ended.keep(run('large', limits.scriptKeptChars));
  t.deepEqual(
    ended.all.map(({ id }) => id),
    ['large'],
  );
  t.is(ended.get('1'), undefined);
});

test('scripts that wait with large variables are refused when they hold too much, and leave others theirs', async (t) => {
  const engine = new ScriptEngine();
  engine.define('large', {
    fill: { type: 'code', code: 'x = "y".repeat(250000)', next: 'wait' },
    wait: { type: 'wait', seconds: '80000' },
  });
  engine.define('small', { set: { type: 'assign', set: { y: '1' } } });
  const outcomes: string[] = [];
  const count = 50;
  for (let n = 0; n < count; n += 1) {
    const started = engine.start('large', [], `large-${n}`);
    started.then((outcome) => outcomes.push(outcome.ok ? String(outcome.value.problem) : outcome.fault.code));
  }
  await engine.pass(60_000);
  const held = Math.floor(limits.scriptDomainChars / 250_000);
  t.true(count - outcomes.length <= held && outcomes.length < count, `${outcomes.length} of ${count} were refused`);
  t.true(
    outcomes.every((each) =>
      /^script "large", component "wait": the scripts of .* hold \d+ char|^overloaded/.test(each),
    ),
    outcomes[0],
  );
  t.like(await engine.run('small'), { status: 'finished' });
});

test('nested scripts share the limit of variables', async (t) => {
  const engine = new ScriptEngine();
  engine.define('nest', {
    fill: { type: 'code', code: 'x = "y".repeat(90000); d = (typeof d === "number" ? d : 0) + 1', next: 'in' },
    in: { type: 'script', code: '"nest"', params: { d: 'd' } },
  });
  const { status, problem = '' } = await engine.run('nest', [{ d: 0 }]);
  t.is(status, 'failed');
  t.regex(problem, /the variables exceed 262144 characters/);
});
