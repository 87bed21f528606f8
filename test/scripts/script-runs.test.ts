/** The engine of scripts: components, branches, limits, and a run that survives its instance. */
import { SeededRandom } from '../../sim/ports/random.ts';
import { loadSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import { variablesOf } from '../../src/http/script-answers.ts';
import { FaultError } from '../../src/model/fault.ts';
import type { EffectCall, EffectHandlers } from '../../src/scripts/effects.ts';
import { httpHandler } from '../../src/scripts/http-requests.ts';
import { scopedTest } from '../kit/scoped.ts';
import { domain, ScriptEngine, type Settings } from '../kit/script-engine.ts';

const test = scopedTest();

test.before(loadSandbox);

/** A handler that answers after a second, and what it was called with. */
function slowOperation(): { calls: EffectCall[]; handlers: (engine: () => ScriptEngine) => EffectHandlers } {
  const calls: EffectCall[] = [];
  const handlers = (engine: () => ScriptEngine): EffectHandlers => ({
    operation: (call) => {
      calls.push(call);
      return new Promise((resolve) => {
        engine().clock.setTimer(1_000, () => resolve({ branch: 'next', value: { done: call.values['params'] } }));
      });
    },
  });
  return { calls, handlers };
}

function engineWith(handlers: (engine: () => ScriptEngine) => EffectHandlers): ScriptEngine {
  const engine: ScriptEngine = new ScriptEngine(handlers(() => engine));
  return engine;
}

test('a run executes its components in order, and ends with the variables of the script', async (t) => {
  const engine = new ScriptEngine();
  engine.define('sum', {
    set: { type: 'assign', set: { a: 'startparam(1).n', b: 'a + 1' }, next: 'is-big' },
    'is-big': { type: 'branch', condition: 'b > 10', yes: 'big', no: 'small' },
    big: { type: 'code', code: 'word = "big"; list = [a, b]' },
    small: { type: 'assign', set: { word: '"small"' } },
  });
  t.deepEqual(await engine.run('sum', [{ n: 10 }]), {
    status: 'finished',
    variables: { a: 10, b: 11, word: 'big', list: [10, 11] },
  });
  t.deepEqual(await engine.run('sum', [{ n: 1 }], 'second'), {
    status: 'finished',
    variables: { a: 1, b: 2, word: 'small' },
  });
});

test('a run of n components has n-1 pauses, nested scripts and effects included', async (t) => {
  const operation = async () => ({ branch: 'next' });
  const engine = new ScriptEngine({ operation }, { script_pause_between_components: 1_000 });
  engine.define('one', {});
  engine.define('inner', {
    a: { type: 'assign', set: {}, next: 'b' },
    b: { type: 'operation', operation: 'call.list', params: {} },
  });
  engine.define('outer', {
    call: { type: 'script', code: '"inner"', params: {}, next: 'wait' },
    wait: { type: 'wait', seconds: '0.5' },
  });
  const took = async (code: string) => {
    const fromMs = engine.clock.now();
    t.like(await engine.run(code), { status: 'finished', problem: undefined });
    return Math.floor((engine.clock.now() - fromMs) / 100) * 100;
  };
  t.is(await took('one'), 0);
  t.is(await took('inner'), 2_000);
  // start, call, the three of inner, wait
  t.is(await took('outer'), 5_500);
});

test('a nested script has variables of its own, and returns them', async (t) => {
  const engine = new ScriptEngine();
  engine.define('inner', { set: { type: 'assign', set: { y: 'x * 2' }, next: 'end' }, end: { type: 'stop' } });
  engine.define('outer', {
    set: { type: 'assign', set: { x: '1' }, next: 'call' },
    call: { type: 'script', code: '"inner"', params: { x: 'x + 20' }, result: 'got', next: 'after' },
    after: { type: 'assign', set: { sum: 'got.y + x' } },
  });
  t.deepEqual((await engine.run('outer')).variables, { x: 1, got: { x: 21, y: 42 }, sum: 43 });
});

test('a nested script that does not exist leads to its branch, or fails the run', async (t) => {
  const engine = new ScriptEngine();
  const call = { type: 'script', code: '"nothing"', result: 'r' };
  engine.define('cared', { call: { ...call, missing: 'note' }, note: { type: 'assign', set: { word: 'r.problem' } } });
  engine.define('careless', { call });
  t.is((await engine.run('cared')).variables['word'], 'there is no script "nothing"');
  t.deepEqual(await engine.run('careless'), {
    status: 'failed',
    problem: 'script "careless", component "call": there is no script "nothing"',
    variables: { r: { problem: 'there is no script "nothing"', code: 'not_found' } },
  });
});

// Seed 79405 of the campaign: the answer was 500, as for an error of the script.
test('a run whose nested script cannot be read has failed in the middle: the answer is 504', async (t) => {
  const engine = new ScriptEngine();
  engine.define('outer', { call: { type: 'script', code: '"inner"' } });
  engine.unreadable.add('inner');
  const result = await engine.run('outer');
  t.like(result, { status: 'failed', problem: 'script "outer", component "call": mdc is away', isIndefinite: true });
  const error = t.throws(() => variablesOf(result), { instanceOf: FaultError });
  t.is(error.fault.code, 'timeout');
});

test('the problem of a failed run names the script, the component and the field', async (t) => {
  const engine = new ScriptEngine();
  engine.define('bad', { set: { type: 'assign', set: { a: 'nothing.at.all' } } });
  t.is(
    (await engine.run('bad')).problem,
    `script "bad", component "set": set.a: ReferenceError: 'nothing' is not defined`,
  );
  engine.define('wait', { wait: { type: 'wait', seconds: '-1' } });
  t.regex(
    (await engine.run('wait')).problem ?? '',
    /component "wait": seconds: expected a number from 0 to 86400, got -1$/,
  );
});

test('a script that never ends is ended by the budget of an evaluation, of components, or of time', async (t) => {
  const engine = new ScriptEngine({}, { script_limit_component_count: 100, script_duration_sec: 60 });
  engine.define('loop', { code: { type: 'code', code: 'for (;;);' } });
  t.regex((await engine.run('loop')).problem ?? '', /component "code": code: it runs too long/);
  engine.define('circle', { a: { type: 'assign', set: { n: 'typeof n === "number" ? n + 1 : 0' }, next: 'a' } });
  t.regex((await engine.run('circle')).problem ?? '', /the run has executed 100 components, the limit of its domain$/);
  engine.define('sleep', { wait: { type: 'wait', seconds: '3600' } });
  const sinceMs = engine.clock.now();
  t.regex((await engine.run('sleep')).problem ?? '', /it takes longer than its domain allows$/);
  t.is(engine.clock.now() - sinceMs < 61_000, true);
});

test('a domain limits how many of its scripts run at a site', async (t) => {
  const engine = new ScriptEngine({}, { script_limit_site_count: 1 });
  engine.define('sleep', { wait: { type: 'wait', seconds: '10' } });
  const first = engine.start('sleep', [], 'first');
  await engine.pass(100);
  const second = await engine.comes(engine.start('sleep', [], 'second'));
  t.like(second, { ok: false, fault: { code: 'overloaded' } });
  t.like(await engine.comes(first), { ok: true, value: { status: 'finished' } });
});

test('a duplicate of a start joins the run, and gets its result afterwards too', async (t) => {
  const { calls, handlers } = slowOperation();
  const engine = engineWith(handlers);
  engine.define('once', { go: { type: 'operation', operation: 'call.list', params: { a: '1' } } });
  const both = await engine.comes(Promise.all([engine.start('once'), engine.start('once')]));
  t.deepEqual(both[0], both[1]);
  t.deepEqual(await engine.start('once'), both[0]);
  t.is(calls.length, 1);
});

for (const unknown of ['repeat', 'indefinite'] as const) {
  test(`an instance that is lost during an effect with "${unknown}" leaves a run that another one continues`, async (t) => {
    const { calls, handlers } = slowOperation();
    const engine = engineWith(handlers);
    engine.define('effect', {
      before: { type: 'assign', set: { a: '1' }, next: 'go' },
      go: {
        type: 'operation',
        operation: 'call.list',
        params: { a: 'a' },
        unknown,
        result: 'r',
        next: 'good',
        indefinite: 'open',
      },
      good: { type: 'assign', set: { end: '"good"' } },
      open: { type: 'assign', set: { end: '"open"' } },
    });
    const lost = engine.start('effect');
    await engine.pass(500);
    t.is(calls.length, 1);
    await engine.takeOver();
    t.like(await lost, { ok: false, fault: { code: 'timeout', definite: false } });
    const result = await engine.run('effect');
    if (unknown === 'repeat') {
      t.deepEqual(result.variables, { a: 1, r: { done: { a: 1 } }, end: 'good' });
      t.deepEqual(
        calls.map(({ key, isRepeated }) => [key === calls[0]?.key, isRepeated]),
        [
          [true, false],
          [true, true],
        ],
      );
    } else {
      t.is(result.variables['end'], 'open');
      t.is(calls.length, 1);
    }
  });
}

test('a run that fails because the outcome of its effect is unknown is stored with its end', async (t) => {
  const { handlers } = slowOperation();
  const engine = engineWith(handlers);
  engine.define('effect', { go: { type: 'operation', operation: 'call.list', params: {} } });
  engine.start('effect').catch(() => {});
  await engine.pass(500);
  await engine.takeOver();
  // The second instance is lost while it stores what follows.
  await engine.takeOver();
  await engine.pass(1_000);
  const [record] = engine.runs.records(domain);
  t.like(record, { status: 'failed' });
  t.regex(String(record?.problem), /it is unknown whether the effect happened/);
  const outcome = await engine.start('effect');
  t.like(outcome, { ok: true, value: { status: 'failed', isIndefinite: true } });
  t.throws(() => variablesOf(outcome.ok ? outcome.value : { status: 'finished', variables: {} }), {
    message: /it is unknown whether the effect happened/,
    instanceOf: FaultError,
  });
  t.is(typeof record?.endedMs, 'number');
});

test('an instance that is lost at any moment loses no run, and repeats no effect whose outcome was stored', async (t) => {
  for (let atMs = 0; atMs <= 6_000; atMs += 97) {
    const { calls, handlers } = slowOperation();
    const engine = engineWith(handlers);
    const go = (n: number, next?: string) => ({
      type: 'operation',
      operation: 'call.list',
      params: { n: String(n) },
      unknown: 'repeat',
      next,
    });
    engine.define('three', {
      one: go(1, 'rest'),
      rest: { type: 'wait', seconds: '1', next: 'two' },
      two: go(2, 'three'),
      three: go(3),
    });
    const first = engine.start('three');
    first.catch(() => {});
    await engine.pass(atMs);
    await engine.takeOver();
    const isKnown = engine.runs.records(domain).length === 1;
    if (!isKnown) t.true(atMs < 97, `lost at ${atMs}`);
    t.is((await engine.run('three')).status, 'finished');
    const keys = new Set(calls.map(({ key }) => key));
    t.is(keys.size, 3);
    t.true(calls.length <= 4, `${calls.length} effects when lost at ${atMs}`);
    const later = calls.filter(({ key }, index) => calls.findIndex((call) => call.key === key) < index);
    t.true(later.every(({ isRepeated }) => isRepeated));
  }
});

test('global variables are shared by the runs of a domain that allows them, and survive a failover', async (t) => {
  const engine = new ScriptEngine({}, { script_allow_global_variables: true });
  const count = { count: { type: 'assign', set: { n: 'setglobal("n", (getglobal("n") || 0) + 1)' } } };
  engine.define('count', count);
  for (const n of [1, 2]) t.deepEqual((await engine.run('count', [], `run ${n}`)).variables, { n });
  await engine.takeOver();
  t.deepEqual((await engine.run('count', [], 'run 3')).variables, { n: 3 });
  engine.define('big', { big: { type: 'code', code: 'setglobal("x", "y".repeat(300000))' } });
  t.regex(String((await engine.run('big')).problem), /component "big": code: .*the global variables exceed/);
  engine.define('bad', { bad: { type: 'code', code: 'getglobal("__proto__")' } });
  t.regex(String((await engine.run('bad')).problem), /expected the name of a global variable/);
});

test('a script may be nested whatever its code is, also a name that every object has', async (t) => {
  for (const code of ['constructor', 'toString', '__proto__']) {
    const engine = new ScriptEngine();
    engine.define(code, { set: { type: 'assign', set: { y: '7' } } });
    engine.define('outer', { call: { type: 'script', code: JSON.stringify(code), params: {}, result: 'got' } });
    t.like(await engine.run('outer'), { status: 'finished', variables: { got: { y: 7 } } }, code);
  }
});

test('a domain that does not allow global variables refuses them', async (t) => {
  const engine = new ScriptEngine();
  engine.define('count', { count: { type: 'assign', set: { n: 'getglobal("n")' } } });
  const { status, problem } = await engine.run('count');
  t.is(status, 'failed');
  t.regex(String(problem), /component "count": set.n: .*script_allow_global_variables is false/);
});

for (const [point, unknown, calls, last] of [
  ['script.dies_before_saving', 'repeat', 1, 'next'],
  ['script.dies_before_effect', 'repeat', 1, 'next'],
  ['script.dies_after_effect', 'repeat', 2, 'next'],
  ['script.dies_before_saving', 'indefinite', 1, 'next'],
  ['script.dies_before_effect', 'indefinite', 0, 'indefinite'],
  ['script.dies_after_effect', 'indefinite', 1, 'indefinite'],
] as const)
  test(`${point}: an effect that is declared ${unknown} is performed ${calls} times, under one key`, async (t) => {
    const keys: string[] = [];
    const operation = async ({ key }: EffectCall) => {
      keys.push(key);
      return { branch: 'next' };
    };
    const engine = new ScriptEngine({ operation });
    engine.define('effect', {
      act: { type: 'operation', operation: 'call.list', params: {}, unknown, indefinite: 'open', next: 'end' },
      open: { type: 'assign', set: { isOpen: 'true' } },
      end: { type: 'stop' },
    });
    engine.firing.add(point);
    t.like(await engine.comes(engine.start('effect')), { ok: false });
    t.is(engine.firing.size, 0);
    await engine.takeOver();
    await engine.pass(1_000);
    const [record] = engine.runs.records(domain);
    t.like(record, { status: 'finished' }, record?.problem);
    t.is(record?.steps.find(({ component }) => component === 'act')?.note, last);
    t.is(keys.length, calls);
    t.true(new Set(keys).size <= 1, keys.join());
  });

/** An engine whose HTTP requests are answered with 503, and when it sent them. */
function refusedRequests(settings: Settings = {}): { engine: ScriptEngine; sentMs: number[] } {
  const sentMs: number[] = [];
  const engine: ScriptEngine = new ScriptEngine(
    {
      http: (call, isWanted) => {
        const client = {
          send: async () => {
            sentMs.push(engine.clock.now());
            return { ok: true, status: 503, headers: {}, body: '' } as const;
          },
        };
        return httpHandler({ clock: engine.clock, random: new SeededRandom(1) }, client)(call, isWanted);
      },
    },
    settings,
  );
  engine.define('hook', { send: { type: 'http', url: '"http://hook.test/"', retries: 10, timeout: 1 } });
  return { engine, sentMs };
}

test('a run whose time is over makes no further attempt at its HTTP request', async (t) => {
  const { engine, sentMs } = refusedRequests({ script_duration_sec: 5 });
  t.like(await engine.run('hook'), { status: 'failed' });
  await engine.pass(600_000);
  t.true(sentMs.length >= 2 && sentMs.every((ms) => ms <= 5_000), sentMs.join());
});

test('an instance that serves no more makes no further attempt at an HTTP request', async (t) => {
  const { engine, sentMs } = refusedRequests();
  const outcome = engine.start('hook');
  await engine.pass(2_000);
  const { length } = sentMs;
  t.true(length >= 1);
  engine.runs.stop();
  t.like(await outcome, { ok: false });
  await engine.pass(600_000);
  t.is(sentMs.length, length);
});

test('a request that comes twice at once runs its script once, also when the script is over before the second is looked up', async (t) => {
  const engine = new ScriptEngine();
  engine.define('quick', { set: { type: 'assign', set: { a: '1' } } });
  engine.lookUpsMs.push(0, 5_000);
  const [first, second] = await engine.comes(Promise.all([engine.start('quick'), engine.start('quick')]));
  t.deepEqual(second, first);
  t.is(engine.runs.records(domain).length, 1);
  t.true(engine.runs.records(domain)[0]!.startedMs < 5_000);
});
