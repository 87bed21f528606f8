/** Regular expressions of users: they mean what they meant on the engine of the runtime, and none is slow. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { type Expression, expressionOf, firstMatch, sizeOf } from '../../src/model/expression/expression.ts';
import { ExpressionProblem, translate } from '../../src/model/expression/translate.ts';
import { limits } from '../../src/model/limits.ts';
import { hostileExpression, hostileText, worstExpressions } from '../kit/data/expressions.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { anyCharacter } from '../kit/text.ts';

function compiled(source: string): Expression {
  const expression = expressionOf(source);
  assert.ok(!(expression instanceof ExpressionProblem), `${source}: ${(expression as ExpressionProblem).message}`);
  return expression;
}

test('an expression means what it means in ECMAScript', (t) => {
  const rows: [source: string, matches: readonly string[], not: readonly string[]][] = [
    ['^10\\d\\d$', ['1001'], ['10012', '1001\n', '10a1']],
    ['a.c', ['abc', 'xa c'], ['ac', 'a\nc', 'a\rc', 'a\u2028c']],
    ['^\\s+$', [' \t\u00a0\ufeff\u2003'], ['', 'x']],
    ['^[\\S]$', ['x'], [' ', '\u3000']],
    ['[]', [], ['', 'a']],
    ['^[^]$', ['a', '\n'], ['', 'ab']],
    ['^[[:alpha:]]$', ['a]', ':]', '[]'], ['b', 'b]']],
    ['^a{,3}$', ['a{,3}'], ['a', 'aa']],
    ['^a{x}]$', ['a{x}]'], ['ax']],
    ['^\\cA\\x41\\u0042\\0\\/\\-\\e$', ['\u0001AB\0/-e'], ['']],
    ['^[\\b]$', ['\b'], ['b']],
    ['^[\\w-.]+$', ['a-.'], ['a/']],
    ['^[a-]+$', ['a-'], ['b']],
    ['^\\ud83d\\ude00$', ['\u{1f600}'], ['\ud83d']],
    ['^(?<year>\\d{4})-(?:0[1-9]|1[0-2])$', ['2024-12'], ['2024-13']],
    ['', ['', 'a'], []],
    ['^(a|b)*?c??$', ['', 'abac'], ['acc']],
    ['\\Bb\\b', ['ab'], ['b', 'abc']],
    ['\\c', ['\\c'], ['c']],
    ['^\\p{L}$', ['p{L}'], ['a']],
  ];
  for (const [source, matches, not] of rows) {
    const { test: isMatch } = compiled(source);
    for (const text of matches) t.true(isMatch(text), `/${source}/ matches ${JSON.stringify(text)}`);
    for (const text of not) t.false(isMatch(text), `/${source}/ does not match ${JSON.stringify(text)}`);
    const own = new RegExp(source);
    for (const text of [...matches, ...not]) {
      if (!/\p{Cs}|\u{1f600}/u.test(text)) t.is(compiled(source).test(text), own.test(text), `/${source}/ as before`);
    }
  }
});

test('a construct that is not taken is named, with its place', (t) => {
  const rows: [source: string, problem: RegExp][] = [
    ['^(?=a)', /expected a regular expression without look-ahead \("\(\?=" at 2\)$/],
    ['x(?!a)', /without look-ahead \("\(\?!" at 2\)$/],
    ['(?<=a)', /without look-behind \("\(\?<=" at 1\)$/],
    ['(?<!a)', /without look-behind/],
    ['(a)\\1', /without back-references \("\\\\1" at 4\)$/],
    ['(?<n>a)\\k<n>', /without back-references \("\\\\k" at 8\)$/],
    ['(?i:a)', /without flags and unknown forms of groups \("\(\?" at 1\)$/],
    ['\\01', /without octal escapes/],
    ['(a', /with a "\)" for each "\(" \(at 1\)$/],
    ['a)', /with a "\(" for each "\)" \(at 2\)$/],
    ['[a', /with a "\]" for each "\[" \(at 1\)$/],
    ['[b-a]', /with the characters of a range in order \(at 2\)$/],
    ['a**', /with something in front of \* that can be repeated \(at 3\)$/],
    ['^*', /with something in front of \*/],
    ['{2}', /with something in front of \{2\}/],
    ['a{3,2}', /with the numbers of \{\} in order \(at 2\)$/],
    ['a{1001}', /with at most 1000 repetitions \(at 2\)$/],
    ['a\\', /with a character behind "\\" \(at 2\)$/],
    ['(a{50}){50}', /of at most 1000 steps/],
    ['((((a{9}){9}){9}){9}){9}', /of at most 1000 steps/],
    ['a'.repeat(501), /of at most 500 characters/],
  ];
  for (const [source, problem] of rows) t.regex(String(sizeOf(source)), problem, source);
});

test('the first group of a match is kept, or all of it; a group keeps its number', (t) => {
  t.is(firstMatch('b2b-(\\d+)', 'north/n1/b2b-214'), '214');
  t.is(firstMatch('(?:x|b2b)-\\d+', 'north/n1/b2b-214'), 'b2b-214');
  t.is(firstMatch('(?<digits>[0-9]+)$', 'a1'), '1');
  t.is(firstMatch('^x', 'a'), undefined);
  t.throws(() => firstMatch('(?=a)', 'a'), { instanceOf: ExpressionProblem });
});

test('a text that is too long is not matched', (t) => {
  const { test: isMatch } = compiled('a');
  t.is(isMatch('a'.repeat(limits.matchedChars)), true);
  t.is(isMatch('a'.repeat(limits.matchedChars + 1)), undefined);
});

test('the compiled expressions that were used last are kept', (t) => {
  const first = expressionOf('kept 0');
  const second = expressionOf('kept 1');
  for (let n = 2; n <= limits.expressions; n += 1) expressionOf(`kept ${n}`);
  t.not(expressionOf('kept 0'), first, 'the one that was used longest ago is compiled again');
  const again = expressionOf('kept 2');
  t.is(expressionOf('kept 2'), again);
  t.not(expressionOf('kept 1'), second);
});

// The generator of what users write: few characters, so that texts are matched.

const character = fc.constantFrom('a', 'b', '1', '-', ' ', '_', '\n', '.', '/', ']', '}', '{', ',', 'é', '\u2028');
const escapes = fc.constantFrom('\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\.', '\\/', '\\-', '\\n', '\\x61', '\\cJ');
const classItem = fc.oneof(character, escapes, fc.constantFrom('a-b', '0-9', '^', '\\]', '\\b', '-', '[', '(', '*'));
const characters = fc.tuple(fc.constantFrom('', '^'), fc.array(classItem, { maxLength: 4 }));
const atom = fc.oneof(
  character,
  escapes,
  fc.constantFrom('.', 'a', 'b'),
  characters.map(([negation, items]) => `[${negation}${items.join('')}]`),
);
const quantifier = fc.constantFrom('', '', '*', '+', '?', '*?', '{2}', '{1,}', '{0,2}', '{2,3}?', '{', '{,2}');
const { source } = fc.letrec<{ source: string; part: string }>((tie) => ({
  source: fc
    .array(fc.oneof(tie('part'), fc.constantFrom('^', '$', '|', '\\b', '\\B')), { maxLength: 5 })
    .map((parts) => parts.join('')),
  part: fc
    .tuple(
      fc.oneof(
        { maxDepth: 3 },
        atom,
        tie('source').map((inner) => `(${inner})`),
        tie('source').map((inner) => `(?:${inner})`),
      ),
      quantifier,
    )
    .map((parts) => parts.join('')),
}));
const text = fc
  .array(fc.oneof(character, fc.constantFrom('a', 'b', 'ab')), { maxLength: 8 })
  .map((all) => all.join(''));

function nativeOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

function isTaken(pattern: string): boolean {
  try {
    translate(pattern, Number.MAX_SAFE_INTEGER);
    return true;
  } catch (error) {
    assert.ok(error instanceof ExpressionProblem);
    return false;
  }
}

test('an expression is taken where ECMAScript takes it, and matches the same texts', async (t) => {
  await holds(
    t,
    fc.property(source, fc.array(text, { minLength: 1, maxLength: 5 }), (pattern, texts) => {
      const native = nativeOf(pattern);
      assert.equal(isTaken(pattern), native !== undefined, pattern);
      const own = expressionOf(pattern);
      // One that is too large is refused all the same.
      if (own instanceof ExpressionProblem || native === undefined) return;
      for (const each of texts)
        assert.equal(own.test(each), native.test(each), `/${pattern}/ on ${JSON.stringify(each)}`);
    }),
    { numRuns: runs(75) },
  );
});

test('an expression that a backtracking engine never finishes is matched like any other', (t) => {
  for (const worst of worstExpressions) {
    for (const end of ['', 'x', '!']) {
      const given = `${'a'.repeat(limits.matchedChars - 1)}${end}`;
      t.is(typeof compiled(worst).test(given), 'boolean', worst);
    }
  }
});

test('the size of an expression bounds the program that is compiled', async (t) => {
  await holds(
    t,
    fc.property(fc.oneof(source, hostileExpression), (pattern) => {
      const read = expressionOf(pattern);
      if (read instanceof ExpressionProblem) return;
      const { pattern: translated, size } = translate(pattern, limits.expressionSteps);
      const program = RE2JS.compile(translated).programSize();
      assert.ok(program <= size, `${program} instructions, ${size} expected at most`);
    }),
    { numRuns: runs(75), examples: [['()*()*?'], ['()*()*()*']] },
  );
});

test('whatever a client sends as an expression, it is compiled or refused with words', async (t) => {
  await holds(
    t,
    fc.property(
      fc.oneof(fc.string({ unit: anyCharacter, maxLength: 600 }), hostileExpression),
      hostileText,
      (pattern, given) => {
        const read = expressionOf(pattern);
        if (read instanceof ExpressionProblem) return assert.match(read.message, /^expected a regular expression/);
        assert.equal(typeof read.test(given), 'boolean');
      },
    ),
    { numRuns: runs(75) },
  );
});
