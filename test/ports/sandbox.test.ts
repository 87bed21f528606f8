/** The sandbox: values in and out, what is not there, and budgets that end every script. */
import { loadSandbox, quickJs } from '../../src/adapters/quickjs-sandbox.ts';
import type { Evaluation } from '../../src/ports/sandbox.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

test.before(loadSandbox);

function evaluate(code: string, more: Partial<Evaluation> = {}) {
  return quickJs.evaluate({ code, form: 'expression', variables: {}, params: [], ...more });
}

function problemOf(code: string, form: Evaluation['form'] = 'statements'): string {
  const result = evaluate(code, { form });
  return result.ok ? 'none' : result.problem;
}

test('an expression has the variables and start parameters, and a JSON value', (t) => {
  const given = { variables: { a: { b: [1, 2] } }, params: [{ x: 1 }, 'POST'] };
  const value = (code: string) => {
    const result = evaluate(code, given);
    return result.ok ? result.value : result.problem;
  };
  t.deepEqual(value('a.b.map((n) => n + startparam(1).x)'), [2, 3]);
  t.is(value('JSON.parse(startparam(1)).x'), 1);
  t.is(value('startparam(1) + startparam(2)'), '{"x":1}POST');
  t.is(value('startparam(9)'), undefined);
  t.is(value('() => 1'), undefined);
});

test('statements leave variables behind; an evaluation sees nothing of another one', (t) => {
  t.like(evaluate('b = a + 1; var c = { d: b }; let e = 1', { form: 'statements', variables: { a: 1 } }), {
    ok: true,
    value: undefined,
    variables: { a: 1, b: 2, c: { d: 2 } },
  });
  evaluate('Array.prototype.map = null; globalThis.JSON = null; x = 1', { form: 'statements' });
  t.like(evaluate('typeof x + [1].map(String)'), { ok: true, value: 'undefined1', variables: {} });
});

test('a function of the platform gets and returns JSON values, and its error is one of the code', (t) => {
  const functions = {
    add: (...all: unknown[]) => ({ sum: all.reduce((sum: number, each) => sum + Number(each), 0) }),
    fail: () => {
      throw new Error('no luck');
    },
  };
  t.like(evaluate('add(1, 2).sum', { functions }), { value: 3 });
  t.like(evaluate('fail()', { functions }), { ok: false, problem: 'Error: no luck' });
  t.like(evaluate('(() => { try { fail() } catch (e) { return e.message } })()', { functions }), { value: 'no luck' });
});

test('there is no clock, no chance, no network, no process', (t) => {
  const names = ['Date', 'fetch', 'process', 'require', 'setTimeout', 'performance', 'Math.random'];
  for (const name of names) t.like(evaluate(`typeof ${name}`), { value: 'undefined' }, name);
  t.like(evaluate('import("node:fs").then(() => { x = 1 })', { form: 'statements' }), {
    ok: true,
    value: undefined,
    variables: {},
  });
});

const endless: readonly [what: string, code: string, problem: RegExp][] = [
  ['loops', 'for (;;);', /^it runs too long/],
  ['recurses', 'function f() { return f() + 1 } f()', /stack overflow/],
  ['parses deep JSON', 'JSON.parse("[".repeat(100000) + "]".repeat(100000))', /^it nests too deeply/],
  ['compiles deep code', 'eval("(".repeat(50000) + "1" + ")".repeat(50000))', /^it nests too deeply/],
  ['compiles functions in functions', 'eval("a=>".repeat(20000) + "1")', /^it nests too deeply/],
  ['allocates', 'let all = []; for (;;) all.push(new Uint8Array(100000))', /out of memory|too long/],
  [
    'searches an array-like object of any length',
    'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    /^it runs too long/,
  ],
  ['reverses one', 'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })', /^it runs too long/],
  ['multiplies large integers', 'let a = 3n; for (;;) a = (a * a) % 2n ** 20000n', /^it runs too long/],
  ['clears memory', 'for (;;) new Uint8Array(4000000)', /^it runs too long/],
  ['copies memory', 'const a = new Uint8Array(3000000); for (;;) a.copyWithin(1, 0)', /^it runs too long/],
  ['joins', 'for (;;) Array(1e5).join("ab")', /^it runs too long/],
  ['sorts', 'const a = new Float64Array(5e5); for (;;) a.sort()', /^it runs too long/],
  ['writes JSON', 'const a = Array(1e4).fill(1); for (;;) JSON.stringify(a)', /^it runs too long/],
  ['compiles', 'for (;;) eval("1+".repeat(20000) + "1")', /^it runs too long/],
  ['backtracks', '/^(a+)+$/.test("a".repeat(40) + "b")', /^it runs too long/],
  ['iterates over a sparse array', 'let a = []; a.length = 4e9; new Set(a)', /^it runs too long|RangeError/],
  ['returns too much', 'x = "x".repeat(300000)', /^expected at most 262144 (letters|characters) of JSON/],
  ['throws no error', 'throw 1', /^it throws a value that is not an error$/],
];

for (const [what, code, problem] of endless) {
  test(`code that ${what} ends with its reason`, (t) => {
    t.regex(problemOf(code), problem);
    t.like(evaluate('1 + 1'), { value: 2 }, 'the next evaluation is not affected');
    t.is(problemOf(code), problemOf(code), 'the same code has the same problem again');
  });
}

test('the same code gives the same result each time, its budget included', (t) => {
  const count = 'let n = 0; for (;;) { n += 1; last = n }';
  t.deepEqual(evaluate(count, { form: 'statements' }), evaluate(count, { form: 'statements' }));
});

test('steps are counted exactly: what a budget lets through once, it lets through always', (t) => {
  const engine = (count: number) => evaluate(`(() => { let n = 0; while (n < ${count}) n += 1; return n })()`).ok;
  let [low, high] = [1, 10_000_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (engine(middle)) low = middle;
    else high = middle;
  }
  t.true(low > 100_000, `only ${low} turns`);
  problemOf('for (;;);');
  t.true(engine(low));
  t.false(engine(high));
});
