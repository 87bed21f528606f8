/**
 * Regular expressions given by users. The engine's time is linear in the text and in the program, so that no expression
 * blocks an instance.
 */
import { RE2JS, RE2JSException, RE2Set } from 're2js';
import { limits } from '../limits.ts';
import { ExpressionProblem, type Translated, translate } from './translate.ts';

/** A compiled expression. */
export interface Expression {
  /** An upper bound of the instructions of its program: the maximum cost of matching a character. */
  readonly size: number;
  /** Whether it matches somewhere in a text. `undefined`: the text is too long to be matched. */
  readonly test: (text: string) => boolean | undefined;
}

/** The compiled expression of a source, or its problem. Both are cached. */
export function expressionOf(source: string, { ignoresCase = false } = {}): Expression | ExpressionProblem {
  const key = `${ignoresCase ? 'i' : '-'}${source}`;
  const found = cache.get(key);
  cache.delete(key);
  const expression = found ?? compiled(source, ignoresCase);
  cache.set(key, expression);
  const [oldest] = cache.keys();
  if (oldest !== undefined && cache.size > limits.expressions) cache.delete(oldest);
  return expression;
}

/** An upper bound of the instructions of a source, or its problem, without compiling it. */
export function sizeOf(source: string): number | ExpressionProblem {
  try {
    return checked(source).size;
  } catch (error) {
    if (error instanceof ExpressionProblem) return error;
    throw error;
  }
}

/** The match of an expression in a text: its first group, or all of it. Throws an `ExpressionProblem`. */
export function firstMatch(source: string, text: string): string | undefined {
  const { pattern } = checked(source);
  const [all, group] = withProblems(() => RE2JS.compile(pattern).exec(text)) ?? [];
  return group ?? all;
}

/** Least recently used first. The cache is a pure function of the source. */
const cache = new Map<string, Expression | ExpressionProblem>();

function compiled(source: string, ignoresCase: boolean): Expression | ExpressionProblem {
  try {
    const { pattern, size } = checked(source);
    // Unlike a single expression, a set limits the memory of its states.
    const set = new RE2Set(RE2Set.UNANCHORED, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0, limits.expressionBytes);
    withProblems(() => {
      set.add(pattern);
      set.compile();
    });
    const test = (text: string) => (text.length > limits.matchedChars ? undefined : set.match(text).length > 0);
    return { size, test };
  } catch (error) {
    if (error instanceof ExpressionProblem) return error;
    throw error;
  }
}

function checked(source: string): Translated {
  if (source.length > limits.patternChars) {
    throw new ExpressionProblem(`expected a regular expression of at most ${limits.patternChars} characters`);
  }
  return translate(source, limits.expressionSteps);
}

function withProblems<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RE2JSException) throw new ExpressionProblem(`expected a regular expression: ${error.message}`);
    throw error;
  }
}
