/** A service script that executes the operation which a request names, and answers with its result. */
import { longTextOf } from '../calls/call-judges.ts';
import type { Item, UseCase } from '../kit/use-case.ts';
import { serve } from './served-script.ts';

/** An operation, and the parameters that a request gives it. */
export type WantedOperation = readonly [operation: string, params: readonly string[]];

interface OperationOutcome {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
}

/** `undefined`: limits of its site have refused the run, or who must serve is not there. */
export type RunOperation = (operation: string, params: Item) => Promise<OperationOutcome | undefined>;

/** Makes the script; `undefined`: it cannot be made, or the limits of the domain refuse its runs. */
export async function operating(
  useCase: UseCase,
  code: string,
  operations: readonly WantedOperation[],
): Promise<RunOperation | undefined> {
  const { opts } = useCase.context.map.topology.domains.find(({ name }) => name === useCase.domain) ?? {};
  const { script_limit_component_count: most = 0, script_pause_between_components: pauseMs = 0 } = opts ?? {};
  // The branches, and four components around the operation.
  const count = operations.length + 4;
  if ((most > 0 && most < count) || pauseMs * count > 2_000) return undefined;
  const send = await serve(useCase, { code, components: componentsOf(operations), site: useCase.there });
  return (
    send &&
    (async (operation, params) => {
      const answer = await send({ operation, ...params });
      const isServed = answer !== undefined && answer.status !== 503 && answer.status !== 504;
      return isServed ? { status: answer.status, body: answer.body, text: longTextOf(answer) } : undefined;
    })
  );
}

/** Judges the result of an operation. Returns whether it is right; a run that no instance has served says nothing. */
export function judged(
  useCase: UseCase,
  what: string,
  outcome: OperationOutcome | undefined,
  isRight: (body: unknown) => boolean,
): boolean {
  useCase.expect(`${what} of a script`, undefined, () =>
    outcome === undefined || (outcome.status === 200 && isRight(outcome.body)) ? undefined : `got ${outcome.text}`,
  );
  return outcome?.status === 200 && isRight(outcome.body);
}

/** One operation, by `startparam(4).operation`; the answer is its result. */
function componentsOf(operations: readonly WantedOperation[]): Item[] {
  const rows = operations.flatMap(([operation, names], index) => [
    {
      name: `is-${index}`,
      type: 'branch',
      condition: `startparam(4).operation === '${operation}'`,
      yes: `do-${index}`,
      no: index + 1 < operations.length ? `is-${index + 1}` : 'end',
    },
    {
      name: `do-${index}`,
      type: 'operation',
      operation,
      params: Object.fromEntries(names.map((name) => [name, `startparam(4).${name}`])),
      result: 'result',
      next: 'answer',
      failed: 'refused',
      indefinite: 'refused',
    },
  ]);
  return [
    { name: 'begin', type: 'start', next: 'is-0' },
    ...rows,
    { name: 'answer', type: 'assign', set: { response_content: 'result' }, next: 'end' },
    { name: 'refused', type: 'assign', set: { response_code: '409', response_content: 'result' }, next: 'end' },
    { name: 'end', type: 'stop' },
  ];
}
