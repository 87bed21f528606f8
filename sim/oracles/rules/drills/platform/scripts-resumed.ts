/** The mware that runs a service script crashes while the script waits between two changes of domain data. */

import { groupsOf, removeGroups } from '../../use-cases/kit/groups.ts';
import { runs } from '../../use-cases/kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { serve } from '../../use-cases/scripts/served-script.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const code = 'scripts-resumed';
/** Of the run that is interrupted. */
const waitSec = 5;
/** Of the channel: longer than a takeover and the wait. */
const recvTimeoutSec = 30;

/** Creates two contact groups, `…-a` and `…-b`; waits between them if it shall. */
const components = (hasGlobals: boolean) => [
  { name: 'begin', type: 'start', next: 'note' },
  {
    name: 'note',
    type: 'assign',
    set: {
      before: hasGlobals ? "getglobal('resumed')" : 'null',
      kept: hasGlobals ? "setglobal('resumed', startparam(4).order)" : '0',
      response_code: '207',
    },
    next: 'first',
  },
  { name: 'first', ...creating('a'), next: 'late' },
  { name: 'late', type: 'branch', condition: 'startparam(4).waits > 0', yes: 'wait', no: 'second' },
  { name: 'wait', type: 'wait', seconds: 'startparam(4).waits', next: 'second' },
  { name: 'second', ...creating('b'), next: 'answer' },
  {
    name: 'answer',
    type: 'assign',
    set: { response_content: 'JSON.stringify({ order: startparam(4).order, before })' },
    next: 'end',
  },
  { name: 'end', type: 'stop' },
];

function creating(end: string) {
  const values = `{ code: '${code}-' + startparam(4).order + '-${end}' }`;
  return {
    type: 'operation',
    operation: 'entity.create',
    params: { kind: "'contactgroup'", values },
    unknown: 'repeat',
  };
}

export const scriptsResumed = drillOf({
  name: 'scripts-resumed',
  rule: 'When the mware that runs a service script crashes, the next one, or the same after its restart, goes on where the script was: the journal has one run with each of its steps once, each change is made once, and no answer says that it was not executed. A request meanwhile is executed once, unless it is refused. Global variables have the last value that was acknowledged.',
  exclusions: 'Domains whose limits refuse runs.',
  sender: '10.6.1.42',
  play: async (drill) => {
    drill.afterwards(() => removeGroups(drill, code));
    await interrupt(drill);
  },
});

async function interrupt(drill: Drill): Promise<void> {
  const { context, here: site, domain, noticedMs, quickMs } = drill;
  const { questions, map } = context;
  const [runner] = drill.activeOf('mware', site);
  const hasGlobals = map.domains.get(domain)?.opts.script_allow_global_variables === true;
  if (runner === undefined) return;
  const send = await serve(drill, { code, components: components(hasGlobals), recvTimeoutSec, site });
  const first = await send?.({ order: 1 });
  // Its limits refuse the run.
  if (first?.status !== 207 || send === undefined) return;
  const earlier = itemsOf(await drill.ask(runsOf())).length;
  const pending = send({ order: 2, waits: waitSec });
  await questions.wait(waitSec * 500);

  drill.crash(runner);
  const meanwhile: (number | undefined)[] = [];
  for (const order of [3, 4, 5]) meanwhile.push((await send({ order }))?.status);
  const interrupted = await pending;
  drill.expect('POST /exec of a run whose mware crashed', interrupted, (answer) =>
    answer?.status === 207 || answer?.status === 504 ? undefined : `expected 207 or 504, got ${textOf(answer)}`,
  );
  const executed = meanwhile.filter((status) => status !== 503).length;
  const isSure = !meanwhile.includes(504) && !meanwhile.includes(undefined);
  const steps = 'begin note first late wait second answer end';
  let id = '';
  await drill.everywhere(
    runsOf(),
    (answer) => {
      const found = itemsOf(answer);
      const waited = found.filter(({ passed }) => passed === steps.split(' ').length);
      id = String(waited[0]?.['id']);
      const isDone = found.every(({ status }) => status === 'finished');
      const expected = earlier + 1 + executed;
      const isRight = isDone && waited.length === 1 && (found.length === expected || !isSure);
      return isRight ? undefined : `expected ${expected} finished runs, one that waited, got ${textsOf(answer)}`;
    },
    noticedMs + waitSec * 1_000,
  );
  await drill.everywhere(`${runs}/${id}`, ranOnce(steps, noticedMs + quickMs));
  await drill.everywhere(`${groupsOf(code)}`, changedOnce([200, 200, ...meanwhile]));
  // Each site has its own global variables.
  await drill.holds(noticedMs, `mware is active at ${site}`, () => drill.activeOf('mware', site).length > 0);
  const last = await send({ order: 6 });
  // Without a second member, another site has served meanwhile.
  const isOfSite = map.groupOf(runner).length > 1;
  if (hasGlobals && isOfSite && isSure && executed === meanwhile.length)
    drill.expect('a global variable', last, (answer) => {
      const { before } = (answer?.body ?? {}) as Item;
      return answer?.status === 207 && before === 5 ? undefined : `expected 207 and 5, got ${textOf(answer)}`;
    });
  else
    drill.expect('POST /exec after the takeover', last, (answer) =>
      answer?.status === 207 ? undefined : textOf(answer),
    );
}

/** The steps of a run, each once, and how long it took: at least its wait. */
function ranOnce(steps: string, mostMs: number): Judge {
  return (answer) => {
    const { steps: passed = [], startts, endts, status } = (answer?.body ?? {}) as { steps?: Item[] } & Item;
    const names = passed.map(({ component }) => component).join(' ');
    const lastedMs = Number(endts) - Number(startts);
    const isInTime = lastedMs >= waitSec * 1_000 && lastedMs <= waitSec * 1_000 + mostMs;
    const isRight = status === 'finished' && names === steps && isInTime;
    return isRight ? undefined : `expected ${steps} in ${waitSec} s, got ${names} in ${lastedMs} ms, ${String(status)}`;
  };
}

/** Both groups of each order, once: by the status of its answer. */
function changedOnce(statuses: readonly (number | undefined)[]): Judge {
  return (answer) => {
    const found = itemsOf(answer).map((item) => String(item['code']));
    const wrong = statuses.flatMap((status, index) =>
      ['a', 'b'].filter((end) => {
        const times = found.filter((each) => each === `${code}-${index + 1}-${end}`).length;
        if (status === 503) return times > 0;
        return status === 504 || status === undefined ? times > 1 : times !== 1;
      }),
    );
    return answer?.status === 200 && wrong.length === 0
      ? undefined
      : `after ${statuses.join()}, the groups are ${found.toSorted().join()}`;
  };
}

function runsOf(): string {
  return `${runs}?${filterOf({ code })}&mask=id,status,passed,startts,endts`;
}

function textsOf(answer: Parameters<Judge>[0]): string {
  return itemsOf(answer)
    .map(({ status, passed }) => `${String(status)} ${String(passed)}`)
    .join('; ');
}
