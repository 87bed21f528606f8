/** What the functions of a check answer, held to what they may answer: what is none is told by who has answered it. */
import { NothingToPick } from './choices.ts';
import { BadCheck, isObject, shown } from './form.ts';

/** Whether something holds: `true`, or what is wrong. Who throws says what is wrong as well, as assertions do. */
export function held(by: string, ask: () => unknown): boolean | string {
  const answer = asked(ask);
  if (typeof answer === 'boolean' || typeof answer === 'string') return answer;
  throw new BadCheck(
    `${by}: expected it to answer true, false or a text that says what is wrong, got ${shown(answer)}`,
  );
}

/** What is wrong, by a reference; `undefined`: nothing. */
export function difference(by: string, ask: () => unknown): string | undefined {
  const answer = asked(ask);
  if (answer === undefined || typeof answer === 'string') return answer;
  throw new BadCheck(`${by}: expected it to answer undefined or a text that says what is wrong, got ${shown(answer)}`);
}

/** What a fact says beside its type. */
export function said(by: string, make: () => unknown): object {
  const answer = called(by, make);
  if (isObject(answer)) return answer;
  throw new BadCheck(`${by}: expected it to answer what the fact says, such as { status: 200 }, got ${shown(answer)}`);
}

/** What a function answers that must not throw; what there is nothing to pick from for goes through. */
export function called<T>(by: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof BadCheck || error instanceof NothingToPick) throw error;
    throw new BadCheck(`${by} has thrown ${String(error)}`, { cause: error });
  }
}

function asked(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    if (error instanceof BadCheck) throw error;
    return error instanceof Error && error.name === 'AssertionError' ? error.message : `it has thrown ${String(error)}`;
  }
}
