/** Scripts: what is refused, with the component and the field, and the published schema. */

import { scriptsSchema } from '../../sim/docs/scripts-document.ts';
import { componentKinds, componentsSchema, scriptProblems, withDefaults } from '../../src/model/script/script.ts';
import { test } from '../kit/test.ts';

const start = { name: 'start', type: 'start' };

function problemsOf(...components: unknown[]): string[] {
  return scriptProblems('svcscript', components).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const refusals: readonly [what: string, components: unknown[], problem: RegExp][] = [
  [
    'an unknown type',
    [start, { name: 'a', type: 'dance' }],
    /^1\.type: expected one of start, assign, .* in component "a"$/,
  ],
  ['a component that is not an object', [start, 5], /^1\.type: expected one of/],
  [
    'a field of the wrong type',
    [start, { name: 'a', type: 'code', code: 5 }],
    /^1\.code: expected a text .* in component "a"$/,
  ],
  [
    'a missing field',
    [start, { name: 'a', type: 'branch' }],
    /^1\.condition: expected an expression.* in component "a"$/,
  ],
  [
    'an unknown field',
    [start, { name: 'a', type: 'stop', nxt: 'b' }],
    /^1\.nxt: expected one of name, type as a field in component "a"$/,
  ],
  [
    'a name that is taken',
    [start, { name: 'start', type: 'stop' }],
    /^1\.name: expected a name that no other component has/,
  ],
  [
    'a branch to nowhere',
    [{ ...start, next: 'b' }],
    /^0\.next: expected the name of a component in component "start", which has no "b"$/,
  ],
  ['no start', [{ name: 'a', type: 'stop' }], /^: expected one component of type "start", got 0$/],
  ['two starts', [start, { name: 'b', type: 'start' }], /^: expected one component of type "start", got 2$/],
  [
    'a variable with a bad name',
    [start, { name: 'a', type: 'assign', set: { '1x': '1' } }],
    /^1\.set\.1x: expected the name of a variable: .*in component "a"$/,
  ],
  [
    'a malformed expression',
    [start, { name: 'a', type: 'branch', condition: 'x ===\n 1 +' }],
    /^1\.condition: expected an expression of JavaScript: Unexpected token at 2:5 in component "a"$/,
  ],
  [
    'one malformed expression of several',
    [start, { name: 'a', type: 'assign', set: { good: '1', bad: '((' } }],
    /^1\.set\.bad: expected an expression of JavaScript: Unexpected token at 1:3 in component "a"$/,
  ],
  [
    'malformed code',
    [start, { name: 'a', type: 'code', code: 'var a = 1;\nwhile {}' }],
    /^1\.code: expected JavaScript: Unexpected token at 2:7 in component "a"$/,
  ],
  [
    'an expression that nests too deeply',
    [start, { name: 'a', type: 'branch', condition: `${'('.repeat(4_900)}1${')'.repeat(4_900)}` }],
    /^1\.condition: expected an expression of JavaScript: it nests too deeply in component "a"$/,
  ],
  ['a field of another type', [start, { name: 'a', type: 'code', code: 'x', result: 5 }], /^1\.result: /],
  [
    'a variable __proto__',
    [start, JSON.parse('{ "name": "a", "type": "assign", "set": { "__proto__": "1" } }')],
    /^1\.set\.__proto__: expected another name in component "a"$/,
  ],
];

test('all problems of a script are reported at once, with the nearest names', (t) => {
  const menu = { name: 'menu', type: 'branch', condition: '2 +', yes: 'answr', no: 'answer' };
  const problems = problemsOf(
    { ...start, next: 'meun' },
    menu,
    { name: 'answer', type: 'assing' },
    { name: 'set', type: 'assign', sett: {}, nxet: 'menu' },
  );
  for (const problem of [
    /^0\.next: expected the name of a component in component "start", which has no "meun" \(did you mean "menu"\?\)$/,
    /^1\.condition: expected an expression of JavaScript: /,
    /^1\.yes: .*, which has no "answr" \(did you mean "answer"\?\)$/,
    /^2\.type: expected one of .* \(did you mean "assign"\?\) in component "answer"$/,
    /^3\.sett: expected one of .* \(did you mean "set"\?\) as a field in component "set"$/,
    /^3\.nxet: expected one of .* \(did you mean "next"\?\) as a field in component "set"$/,
  ])
    t.true(
      problems.some((each) => problem.test(each)),
      `${problem}: ${problems.join('\n')}`,
    );
});

test('only the first problems of a script have hints, since each compares a name with all others', (t) => {
  const wrong = Array.from({ length: 30 }, (_, at) => ({ name: `a${at}`, type: 'stopp' }));
  t.is(problemsOf(start, ...wrong).filter((each) => each.includes('did you mean')).length, 10);
  const many = Array.from({ length: 60 }, (_, at) => ({
    name: `named-${at}`,
    type: 'wait',
    seconds: '1',
    next: 'nmaed-1',
  }));
  t.false(
    problemsOf(start, ...many)
      .join()
      .includes('did you mean'),
  );
  t.regex(problemsOf(start, { name: 'a', type: { toString: 1 } }).join(), /^1\.type: expected one of /);
});

test('the syntax of the first 10,000 characters of code is checked, and that of a whole file', (t) => {
  const code = (name: string, text: string) => ({ name, type: 'code', code: text });
  const long = code('long', `// ${'x'.repeat(9_000)}`);
  t.regex(problemsOf(start, long, code('a', '((')).join(), /^2\.code: expected JavaScript/);
  t.deepEqual(problemsOf(start, long, code('more', `// ${'x'.repeat(1_000)}`), code('a', '((')), []);
  const whole = scriptProblems('svcscript', [start, long, long, code('a', '((')], Number.POSITIVE_INFINITY);
  t.true(whole.some(({ path }) => path.join('.') === '3.code'));
});

for (const [what, components, problem] of refusals) {
  test(`a script with ${what} is refused, with the place`, (t) => {
    t.regex(problemsOf(...components).join('\n'), problem);
    t.false(componentsSchema('svcscript').safeParse(components).success);
  });
}

test('a component has the defaults of the fields that its author left out', (t) => {
  const component = withDefaults({ name: 'a', type: 'operation', operation: 'call.list' });
  t.like(component, { params: {}, result: 'result', unknown: 'indefinite' });
});

test('the published schema has every kind of component, and its fields', (t) => {
  const { properties } = JSON.parse(scriptsSchema()) as {
    properties: Record<string, { items: { oneOf: { properties: Record<string, { const?: string }> }[] } }>;
  };
  for (const [kind, { items }] of Object.entries(properties)) {
    const types = items.oneOf.map(({ properties: { type } }) => type?.const);
    t.deepEqual(
      types,
      componentKinds.filter(({ scripts }) => (scripts as string[]).includes(kind)).map(({ type }) => type),
    );
  }
  t.deepEqual(Object.keys(properties), ['svcscript', 'ivrscript']);
});
