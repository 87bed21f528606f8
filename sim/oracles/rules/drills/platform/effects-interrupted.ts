/** The mware that runs a service script crashes while another system has its request, and has not answered yet; or soon after the answer. */

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
/** How long a run goes on after the answer, where scripts pause between two components. */
const restMs = 5_000;

/** Sends one request, which may be repeated or not, and ends where its outcome leads: at once, or after `rest` more components. */
const componentsWith = (rest: readonly string[]) => [
  { name: 'begin', type: 'start', next: 'how' },
  { name: 'how', type: 'branch', condition: 'startparam(4).how === "repeat"', yes: 'repeat', no: 'which' },
  { name: 'which', type: 'branch', condition: 'startparam(4).how === "answered"', yes: 'answered', no: 'once' },
  ...[
    { name: 'repeat', unknown: 'repeat' },
    { name: 'once', unknown: 'indefinite' },
    { name: 'answered', unknown: 'indefinite', next: rest[0] ?? 'done' },
  ].map((effect) => ({
    type: 'http',
    method: 'POST',
    url: `'${receiver}'`,
    body: '{ how: startparam(4).how }',
    timeout: 10,
    retries: 0,
    next: 'done',
    failed: 'failed',
    indefinite: 'unknown',
    ...effect,
  })),
  ...rest.map((name, index) => ({
    name,
    type: 'assign',
    set: { outcome: `'${name}'` },
    next: rest[index + 1] ?? 'done',
  })),
  ...['done', 'failed', 'unknown'].map((name) => ({ name, type: 'assign', set: { outcome: `'${name}'` } })),
];

export const effectsInterrupted = drillOf({
  name: code,
  rule: 'When the mware that runs a service script crashes between a request to another system and its answer, the next one, or the same after its restart, sends the request again where its component says so, and ends with its outcome; where it does not, the outcome is unknown, and the script takes that branch. When the mware crashes after the answer, the run goes on from there, and nothing is sent again. Each run is finished, with each of its steps once.',
  exclusions: 'Domains whose limits refuse runs.',
  sender: '10.6.1.90',
  play: async (drill) => {
    const answers = drill.context.questions.stub(receiver, { status: 200, afterMs: answerMs });
    drill.afterwards(async () => answers.end());
    await interrupt(drill);
  },
});

async function interrupt(drill: Drill): Promise<void> {
  const { map, questions } = drill.context;
  const pauseMs = map.domains.get(drill.domain)?.opts.script_pause_between_components ?? 0;
  const rest = Array.from({ length: pauseMs > 0 ? restMs / pauseMs : 0 }, (_, index) => `rest-${index + 1}`);
  const send = await serve(drill, { code, components: componentsWith(rest), recvTimeoutSec, site: drill.here });
  if (send === undefined) return;
  const plays = [
    { how: 'repeat', afterMs: crashMs, steps: ['repeat', 'done'] },
    { how: 'once', afterMs: crashMs, steps: ['which', 'once', 'unknown'] },
    ...(rest.length === 0
      ? []
      : [{ how: 'answered', afterMs: answerMs + restMs / 3, steps: ['which', 'answered', ...rest, 'done'] }]),
  ];
  for (const { how, afterMs, steps: after } of plays) {
    const before = new Set(itemsOf(await drill.ask(runsOf())).map(({ id }) => id));
    const [runner] = drill.activeOf('mware', drill.here);
    if (runner === undefined) return;
    const pending = send({ how });
    await questions.wait(crashMs);
    const begun = itemsOf(await drill.ask(runsOf())).find(({ id }) => !before.has(id));
    // Its limits refuse the run, or another site runs it.
    if (begun === undefined || begun['status'] === 'finished') return void (await pending);
    await questions.wait(afterMs - crashMs);
    drill.crash(runner);
    const wanted = ['begin', 'how', ...after].join(' ');
    await drill.everywhere(
      `${runs}/${String(begun['id'])}`,
      (answer) => {
        const { steps = [], status } = (answer?.body ?? {}) as { steps?: Item[]; status?: string };
        const names = steps.map(({ component }) => component).join(' ');
        const isRight = status === 'finished' && names === wanted;
        return isRight ? undefined : `expected ${wanted}, got ${names} (${textOf(answer)})`;
      },
      drill.noticedMs + 2 * answerMs + restMs,
    );
    await pending;
    await drill.becomesWhole();
  }
}

function runsOf(): string {
  return `${runs}?${filterOf({ code })}&mask=id,status`;
}
