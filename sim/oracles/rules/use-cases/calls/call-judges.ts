/** What an answer about calls must be. */

import type { QuestionAnswer } from '../../../questions.ts';
import { type SteadyUser, uriOf } from '../kit/call.ts';
import { type Item, type Judge, textOf, type UseCase } from '../kit/use-case.ts';

/** A live call of two parties, as the interface shows it. */
export function talking(
  useCase: UseCase,
  [x, y]: readonly [SteadyUser, SteadyUser],
  fields: Item,
  legs: { readonly acallid: unknown; readonly bcallid: unknown },
): Judge {
  const [from, to] = [uriOf(useCase, x), uriOf(useCase, y)];
  return (answer) => {
    const body = (answer?.body ?? {}) as Item;
    const [a, b] = (body['legs'] ?? []) as Item[];
    const expirets = Number(b?.['expirets']);
    const { acallid, bcallid } = legs;
    const expected: Item = {
      ...fields,
      status: 'dialog',
      acallid,
      esgdlg: '',
      callids: [acallid, bcallid],
      legs: [
        { callid: acallid, expirets: 'undefined', localuri: to, remoteuri: from, side: 'a' },
        { callid: bcallid, expirets, localuri: from, remoteuri: to, side: 'b' },
      ],
      localuri: from,
      remoteuri: to,
      uris: [from, to],
    };
    if (typeof b?.['expirets'] !== 'number' || !(expirets > 0)) return `expirets of side b in ${longTextOf(answer)}`;
    if (a === undefined || body['legs'] === undefined) return `no legs in ${longTextOf(answer)}`;
    return differing(expected, answer);
  };
}

/** The first field that is not as expected. */
export function differing(expected: Item, answer: QuestionAnswer | undefined, status = 200): string | undefined {
  const body = (answer?.body ?? {}) as Item;
  if (answer?.status !== status) return `expected ${status}, got ${textOf(answer)}`;
  const wrong = Object.keys(expected).find((name) => !isSame(expected[name], body[name]));
  return wrong && `${wrong}: expected ${JSON.stringify(expected[wrong])}, got ${JSON.stringify(body[wrong])}`;
}

/** The same JSON; the order of names does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

/** The answer is exactly this. */
export function exactly(status: number, body: unknown): Judge {
  return (answer) =>
    answer?.status === status && isSame(body, answer.body)
      ? undefined
      : `expected ${status} ${JSON.stringify(body)}, got ${longTextOf(answer)}`;
}

/** It is refused, in the form of errors, and with these first words. */
export function refusing(status: number, words = ''): Judge {
  return (answer) => {
    const { error_code, error_message } = (answer?.body ?? {}) as Item;
    const isRight =
      answer?.status === status &&
      error_code === 1_000 + status &&
      typeof error_message === 'string' &&
      error_message !== '' &&
      error_message.startsWith(words);
    return isRight ? undefined : `expected ${status} ${words}, got ${textOf(answer)}`;
  };
}

export const over = refusing(404, 'Call/Participant not found');

/** Who a record says took part, and where. */
export function recorded(useCase: UseCase, x: SteadyUser, y: SteadyUser, fields: Item): Judge {
  const { domain } = useCase;
  const party = (side: string, { id, number, login }: SteadyUser) => ({
    side,
    kind: 'sipuser',
    domain,
    name: login,
    id,
    number,
  });
  return (answer) => {
    const { startts, answerts, endts, durationms, talkms } = (answer?.body ?? {}) as Record<string, number>;
    const times = { durationms: Number(endts) - Number(startts), talkms: Number(endts) - Number(answerts) };
    const expected = {
      from: uriOf(useCase, x),
      to: uriOf(useCase, y),
      participations: [party('a', x), party('b', y)],
      domains: [domain],
      ...fields,
    };
    const wrong = differing(expected, answer);
    if (wrong !== undefined) return wrong;
    return Math.abs(times.durationms - Number(durationms)) > 1 || Math.abs(times.talkms - Number(talkms)) > 1
      ? `times of ${longTextOf(answer)}`
      : undefined;
  };
}

export function longTextOf(answer: QuestionAnswer | undefined): string {
  return answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body)?.slice(0, 600)}`;
}

function sorted(_: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
}
