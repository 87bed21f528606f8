/** Expressions and texts as an attacker chooses them: each makes a backtracking engine, or a careless compiler, slow. */
import fc from 'fast-check';
import { limits } from '../../../src/model/limits.ts';

const atom = fc.constantFrom('a', '.', '\\w', '\\s', '[ab]', '[^]', '(a|a)', '(a|ab)', '()', 'a?', 'a*', '\\b');
const quantifier = fc.constantFrom('*', '+', '?', '{0,}', '{1,50}', '{1000}', '{1000,}', '{0,999}', '');
const wrapped = fc.tuple(atom, fc.array(fc.tuple(fc.constantFrom('(', '(?:'), quantifier), { maxLength: 6 }));

/** Nested and counted repetitions, alternatives that overlap, and many of them in a row. */
export const hostileExpression = fc
  .tuple(fc.array(wrapped, { minLength: 1, maxLength: 6 }), fc.constantFrom('', 'x', '$', 'x$'), fc.nat({ max: 40 }))
  .map(([parts, end, times]) => {
    const text = parts.map(([inner, shells]) =>
      shells.reduce<string>((made, [open, close]) => `${open}${made})${close}`, inner),
    );
    return `${text.join('').repeat(times + 1)}${end}`.slice(0, limits.patternChars);
  });

/** A long text that nearly matches. */
export const hostileText = fc
  .tuple(fc.constantFrom('a', 'ab', ' ', 'a\u0301'), fc.constantFrom('', '!', 'x', '\n'))
  .map(([part, end]) => `${part.repeat(limits.matchedChars / part.length - 1)}${end}`);

/** Expressions of one program each that cost the most at their length. */
export const worstExpressions: readonly string[] = [
  '(a+)+$',
  '(a|a)*b',
  '(a|aa)+$',
  '(.*.*.*.*.*)*x',
  '(a?){100}a{100}',
  '(x+x+)+y',
  '(a|b)*a(a|b){100}',
  '(\\w|\\d){90}',
  '[^]{400}',
  'a{1,160}b{1,160}',
  '(((((((((a?)?)?)?)?)?)?)?)?){20}',
  'a?'.repeat(250),
  '.*'.repeat(166),
  '(a*)*'.repeat(90),
];
