/** Operations of service scripts on domain data while the master does nothing. */

import { removeGroups } from '../../use-cases/kit/groups.ts';
import { runs } from '../../use-cases/kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { serve } from '../../use-cases/scripts/served-script.ts';
import type { Drill } from './drill.ts';

const code = 'silent-operations';
/** Before the operation: the silence begins meanwhile. */
const waitSec = 1;
const noId = 'aa0c0f3e-7d51-4c5b-9d8f-699999999998';

/** What a script asks for, and its branch while the master answers. */
const operations = [
  {
    fields: {
      operation: 'entity.create',
      params: { kind: "'contactgroup'", values: `{ code: '${code}-' + startparam(4).n }` },
    },
    branch: 'next',
  },
  { fields: { operation: 'entity.delete', params: { kind: "'contactgroup'", id: `'${noId}'` } }, branch: 'failed' },
] as const;

function componentsOf(fields: Item): Item[] {
  const branches = ['next', 'failed', 'indefinite'];
  const answers = branches.map((name) => ({
    name: `is-${name}`,
    type: 'assign',
    set: { response_code: '207', response_content: `'${name}'` },
    next: 'end',
  }));
  return [
    { name: 'begin', type: 'start', next: 'wait' },
    { name: 'wait', type: 'wait', seconds: `${waitSec}`, next: 'change' },
    {
      name: 'change',
      type: 'operation',
      ...fields,
      unknown: 'indefinite',
      ...Object.fromEntries(branches.map((name) => [name, `is-${name}`])),
    },
    ...answers,
    { name: 'end', type: 'stop' },
  ];
}

export interface SilentOperation {
  /** Starts a run whose operation is asked for `waitSec` later. Resolves when a moment of that is over. */
  begin(): Promise<void>;
  /** Waits for its answer, and judges it: whether the change was made is not known. */
  judge(): Promise<void>;
}

/** One of them, at a site; `undefined`: scripts are refused there. */
export async function silentOperation(drill: Drill, site: string): Promise<SilentOperation | undefined> {
  const { questions } = drill.context;
  const [{ fields, branch } = operations[0]] = drill.turned(operations);
  drill.afterwards(() => removeGroups(drill, code));
  const send = await serve(drill, { code, components: componentsOf(fields), recvTimeoutSec: 60, site });
  const first = await send?.({ n: 1 });
  // Limits of the domain refuse runs.
  if (first?.status !== 207 || send === undefined) return undefined;
  const what = `the branch of ${fields.operation} at ${site}`;
  drill.expect(`${what}`, first, answering(branch));
  let pending: ReturnType<typeof send> | undefined;
  const begin = async () => {
    pending = send({ n: 2 });
    await questions.wait(waitSec * 500);
  };
  const judge = async () => {
    drill.expect(`${what} while the mdc is silent`, await pending, answering('indefinite'));
    const listed = await drill.ask(`${runs}?${filterOf({ code })}&mask=id,passed,startts`, { site });
    const last = itemsOf(listed)
      .toSorted((one, other) => Number(one['startts']) - Number(other['startts']))
      .at(-1);
    const shown = await drill.ask(`${runs}/${String(last?.['id'])}`, { site });
    drill.expect(`the run of ${fields.operation}`, shown, (answer) => {
      const { status, steps = [] } = (answer?.body ?? {}) as Item & { readonly steps?: readonly Item[] };
      const notes = steps.map(({ component, note }) => `${String(component)} ${String(note)}`).join();
      return status === 'finished' && notes.includes('change indefinite,is-indefinite')
        ? undefined
        : `expected the branch indefinite, got ${String(status)}: ${notes}`;
    });
  };
  return { begin, judge };
}

/** The script has taken this branch. */
function answering(branch: string): Judge {
  return (answer) =>
    answer?.status === 207 && answer.body === branch ? undefined : `expected ${branch}, got ${textOf(answer)}`;
}
