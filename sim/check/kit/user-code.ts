/** Calls functions of the user of the kit: what they may return, and what it means when they throw. */
import { NothingToPick } from './choices.ts';
import { BadCheck, inspected, isObject } from './form.ts';

/** Whether a rule holds: `true`, or what is wrong. A thrown error says what is wrong too, as assertions do. */
export function ruleResult(by: string, ask: () => unknown): boolean | string {
  const answer = withAssertions(ask);
  if (typeof answer === 'boolean' || typeof answer === 'string') return answer;
  throw new BadCheck(
    `${by}: expected it to return true, false or a text that says what is wrong, got ${inspected(answer)}`,
  );
}

/** What is wrong, by a model; `undefined`: nothing. */
export function difference(by: string, ask: () => unknown): string | undefined {
  const answer = withAssertions(ask);
  if (answer === undefined || typeof answer === 'string') return answer;
  throw new BadCheck(
    `${by}: expected it to return undefined or a text that says what is wrong, got ${inspected(answer)}`,
  );
}

/** The fields of an event besides its type. */
export function eventFields(by: string, make: () => unknown): object {
  const answer = callUser(by, make);
  if (isObject(answer)) return answer;
  throw new BadCheck(
    `${by}: expected it to return the fields of the event, such as { status: 200 }, got ${inspected(answer)}`,
  );
}

/** The result of a function that must not throw, except for an empty choice. */
export function callUser<T>(by: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof BadCheck || error instanceof NothingToPick) throw error;
    throw new BadCheck(`${by} has thrown ${String(error)}`, { cause: error });
  }
}

function withAssertions(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    if (error instanceof BadCheck) throw error;
    return error instanceof Error && error.name === 'AssertionError' ? error.message : `it has thrown ${String(error)}`;
  }
}
