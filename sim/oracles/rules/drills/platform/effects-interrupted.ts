/** The mware that runs a service script crashes while another system has its request, and has not answered yet. */

import { runs } from '../../use-cases/kit/paths.ts';
import { filterOf, type Item, itemsOf, textOf } from '../../use-cases/kit/use-case.ts';
import { serve } from '../../use-cases/scripts/served-script.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const code = 'effects-interrupted';
const receiver = `https://${code}.test/`;
/** From the request to the answer of the other system, and from the request to the crash. */
const answerMs = 4_000;
const crashMs = 1_000;
/** Longer than a takeover and a second answer. */
const recvTimeoutSec = 40;

/** Sends one request, which may be repeated or not, and ends where its outcome leads. */
const components = [
  { name: 'begin', type: 'start', next: 'how' },
  { name: 'how', type: 'branch', condition: 'startparam(4).how === "repeat"', yes: 'repeat', no: 'once' },
  ...[
    { name: 'repeat', unknown: 'repeat' },
    { name: 'once', unknown: 'indefinite' },
  ].map((effect) => ({
    type: 'http',
    method: 'POST',
    url: `'${receiver}'`,
    body: '{ how: startparam(4).how }',
    timeout: 10,
    retries: 0,
    ...effect,
    next: 'done',
    failed: 'failed',
    indefinite: 'unknown',
  })),
  ...['done', 'failed', 'unknown'].map((name) => ({ name, type: 'assign', set: { outcome: `'${name}'` } })),
];

export const effectsInterrupted = drillOf({
  name: code,
  rule: 'When the mware that runs a service script crashes between a request to another system and its answer, the next one, or the same after its restart, sends the request again where its component says so, and ends with its outcome; where it does not, the outcome is unknown, and the script takes that branch. Each run is finished, with each of its steps once.',
  exclusions: 'Domains whose limits refuse runs.',
  sender: '10.6.1.90',
  play: async (drill) => {
    const answers = drill.context.questions.stub(receiver, { status: 200, afterMs: answerMs });
    drill.afterwards(async () => answers.end());
    await interrupt(drill);
  },
});

async function interrupt(drill: Drill): Promise<void> {
  const send = await serve(drill, { code, components, recvTimeoutSec, site: drill.here });
  if (send === undefined) return;
  for (const [how, end] of [
    ['repeat', 'done'],
    ['once', 'unknown'],
  ] as const) {
    const before = new Set(itemsOf(await drill.ask(runsOf())).map(({ id }) => id));
    const [runner] = drill.activeOf('mware', drill.here);
    if (runner === undefined) return;
    const pending = send({ how });
    await drill.context.questions.wait(crashMs);
    const begun = itemsOf(await drill.ask(runsOf())).find(({ id }) => !before.has(id));
    // Its limits refuse the run, or another site runs it.
    if (begun === undefined || begun['status'] === 'finished') return void (await pending);
    drill.crash(runner);
    await drill.everywhere(
      `${runs}/${String(begun['id'])}`,
      (answer) => {
        const { steps = [], status } = (answer?.body ?? {}) as { steps?: Item[]; status?: string };
        const names = steps.map(({ component }) => component).join(' ');
        const wanted = `begin how ${how} ${end}`;
        const isRight = status === 'finished' && names === wanted;
        return isRight ? undefined : `expected ${wanted}, got ${names} (${textOf(answer)})`;
      },
      drill.noticedMs + 2 * answerMs,
    );
    await pending;
    await drill.becomesWhole();
  }
}

function runsOf(): string {
  return `${runs}?${filterOf({ code })}&mask=id,status`;
}
