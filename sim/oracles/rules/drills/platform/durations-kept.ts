/** The mware that runs service scripts crashes; the runs go on with the time, the variables and the position that they had. */

import { runs } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { serve } from '../../use-cases/scripts/served-script.ts';
import { areClocksRight } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const code = 'durations-kept';
/** Runs that may take longer make the drill too long. */
const [shortestSec, longestSec] = [20, 60];
const waitSec = 10;
/** Until the crash. */
const crashMs = 5_000;
const components = [
  { name: 'begin', type: 'start', next: 'note' },
  { name: 'note', type: 'assign', set: { kept: 'startparam(4).order * 7', response_code: '207' }, next: 'wait' },
  { name: 'wait', type: 'wait', seconds: 'startparam(4).waits', next: 'answer' },
  { name: 'answer', type: 'assign', set: { response_content: 'JSON.stringify({ kept })' }, next: 'end' },
  { name: 'end', type: 'stop' },
];

export const durationsKept = drillOf({
  name: 'durations-kept',
  rule: 'When the mware that runs service scripts crashes, a run that goes on elsewhere fails exactly when the time that its domain allows is over since its start, and one that needs less ends with its variables, each of its components once.',
  exclusions:
    'Domains whose scripts may take longer than a minute, or whose limits refuse runs; clocks that are wrong.',
  sender: '10.6.1.65',
  play: async (drill) => {
    const { map } = drill.context;
    const { script_duration_sec: allowedSec, script_limit_site_count: most = 0 } =
      map.domains.get(drill.domain)?.opts ?? {};
    // Two runs are interrupted.
    if (most === 1) return;
    const durationSec = Number(allowedSec);
    if (!(durationSec >= shortestSec && durationSec <= longestSec) || !drill.areClocksRight) return;
    if (!(await areClocksRight(drill))) return;
    await interrupt(drill, durationSec * 1_000);
  },
});

async function interrupt(drill: Drill, durationMs: number): Promise<void> {
  const { context, here: site, noticedMs, quickMs } = drill;
  const { questions } = context;
  const [runner] = drill.activeOf('mware', site);
  if (runner === undefined) return;
  const send = await serve(drill, { code, components, recvTimeoutSec: durationMs / 1_000, site });
  // Its limits refuse the run.
  if ((await send?.({ order: 1, waits: 0 }))?.status !== 207 || send === undefined) return;
  const long = send({ order: 2, waits: durationMs / 1_000 + 20 });
  const short = send({ order: 3, waits: waitSec });
  await questions.wait(crashMs);
  const begun = itemsOf(await drill.ask(runsOf())).filter(({ status }) => status === 'running').length;
  if (begun !== 2) return void (await Promise.all([long, short]));
  drill.crash(runner);
  const answer = await short;
  if (answer?.status !== 504)
    drill.expect('POST /exec of the run with its variables', answer, expecting(207, { kept: 21 }));
  await long;
  await questions.wait(Math.max(0, durationMs - crashMs));
  const ranInTime: Judge = (listed) => {
    const found = itemsOf(listed);
    const lasted = (each: Item) => Number(each['endts']) - Number(each['startts']);
    const failed = found.filter(({ status }) => status === 'failed');
    const [over] = failed;
    const isOver =
      failed.length === 1 && over !== undefined && lasted(over) >= durationMs && lasted(over) <= durationMs + quickMs;
    const ended = found.filter((each) => each['status'] === 'finished' && lasted(each) >= waitSec * 1_000);
    const isEnded =
      ended.length === 1 &&
      ended.every((each) => each['passed'] === components.length && lasted(each) <= waitSec * 1_000 + noticedMs);
    const isRight = found.length === 3 && isOver && isEnded;
    const shown = found.map((each) => `${String(each['status'])} ${String(each['passed'])} ${lasted(each)} ms`);
    return isRight
      ? undefined
      : `expected runs of ${durationMs} ms and ${waitSec} s, got ${shown.join('; ') || textOf(listed)}`;
  };
  await drill.everywhere(runsOf(), ranInTime, noticedMs);
}

function runsOf(): string {
  return `${runs}?${filterOf({ code })}&mask=id,status,passed,startts,endts`;
}
