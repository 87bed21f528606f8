/**
 * The mware that runs a service script crashes while another system has its request, and has not answered yet; or soon after
 * the answer; or after a change of domain data whose answer is under way.
 */

import type { QuestionAnswer } from '../../../questions.ts';
import { groupsOf, removeGroups } from '../../use-cases/kit/groups.ts';
import { runs } from '../../use-cases/kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
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
const pollMs = 250;
const changes = `${code}-changes`;
const group = `${code}-group`;

/** Creates a contact group, or deletes one. */
const changing = [
  { name: 'begin', type: 'start', next: 'how' },
  { name: 'how', type: 'branch', condition: 'startparam(4).id === undefined', yes: 'make', no: 'drop' },
  ...[
    { name: 'make', operation: 'entity.create', params: { kind: "'contactgroup'", values: `{ code: '${group}' }` } },
    { name: 'drop', operation: 'entity.delete', params: { kind: "'contactgroup'", id: 'startparam(4).id' } },
  ].map((effect) => ({
    ...effect,
    ...{ type: 'operation', unknown: 'repeat', result: 'answer', next: 'done', failed: 'failed' },
  })),
  ...['done', 'failed'].map((name) => ({ name, type: 'assign', set: { response_content: 'JSON.stringify(answer)' } })),
];

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
  rule: 'When the mware that runs a service script crashes between a request to another system and its answer, the next one, or the same after its restart, sends the request again where its component says so, and ends with its outcome; where it does not, the outcome is unknown, and the script takes that branch. When the mware crashes after the answer, the run goes on from there, and nothing is sent again. A contact group that was created or deleted before the crash is created or deleted once, and the repeated attempt succeeds. Each run is finished, with each of its steps once.',
  exclusions: 'Domains whose limits refuse runs.',
  sender: '10.6.1.90',
  play: async (drill) => {
    const answers = drill.context.questions.stub(receiver, { status: 200, afterMs: answerMs });
    drill.afterwards(async () => answers.end());
    await interrupt(drill);
    drill.afterwards(() => removeGroups(drill, code));
    await interruptChanges(drill);
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
    const before = await runsOf(drill, code);
    const [runner] = drill.activeOf('mware', drill.here);
    if (runner === undefined) return;
    const pending = send({ how });
    await questions.wait(crashMs);
    const begun = (await runsOf(drill, code)).find(({ id }) => !before.some((each) => each['id'] === id));
    // Its limits refuse the run, or another site runs it.
    if (begun === undefined || begun['status'] === 'finished') return void (await pending);
    await questions.wait(afterMs - crashMs);
    drill.crash(runner);
    await passes(drill, begun, ['begin', 'how', ...after]);
    await pending;
    await drill.becomesWhole();
  }
}

/** The answers to changes are held back until the mware that has asked for them is lost. */
async function interruptChanges(drill: Drill): Promise<void> {
  const send = await serve(drill, { code: changes, components: changing, recvTimeoutSec, site: drill.here });
  if (send === undefined) return;
  const made = await interruptChange(drill, { ask: () => send({}), isMade: (items) => items.length > 0, step: 'make' });
  if (made === undefined) return;
  drill.expect('contact groups after a repeated creation', undefined, () =>
    made.length === 1 ? undefined : `expected one, got ${made.length}`,
  );
  const [{ id } = {}] = made;
  await interruptChange(drill, { ask: () => send({ id }), isMade: (items) => items.length === 0, step: 'drop' });
}

interface Change {
  ask(): Promise<QuestionAnswer | undefined>;
  /** Whether it is seen in the list of groups. */
  isMade(items: readonly Item[]): boolean;
  readonly step: string;
}

/** Returns the groups after it; `undefined`: the run was not interrupted at the change. */
async function interruptChange(drill: Drill, { ask, isMade, step }: Change): Promise<readonly Item[] | undefined> {
  const { faults, questions } = drill.context;
  const before = await runsOf(drill, changes);
  const [runner] = drill.activeOf('mware', drill.here);
  if (runner === undefined) return undefined;
  const list = groupsOf(code);
  const isSeen: Judge = (answer) =>
    answer?.status === 200 && isMade(itemsOf(answer)) ? undefined : `got ${textOf(answer)}`;
  const messages = ['data.create', 'data.delete'];
  const lift = faults.hold({ from: 'mdc', to: runner.name, oneWay: true, kinds: ['reply', 'fault'], messages });
  const pending = ask();
  const isChanged = async () => isSeen(await drill.ask(list)) === undefined;
  for (let at = 0; at < answerMs && !(await isChanged()); at += pollMs) await questions.wait(pollMs);
  const begun = (await runsOf(drill, changes)).find(({ id }) => !before.some((each) => each['id'] === id));
  // Its limits refuse the run, another site runs it, or the answer came within its node.
  const isUnderWay = begun?.['status'] === 'running' && begun['passed'] === 3 && (await isChanged());
  if (isUnderWay) drill.crash(runner);
  lift();
  if (begun === undefined || !isUnderWay) {
    await pending;
    return undefined;
  }
  await passes(drill, begun, ['begin', 'how', step, 'done']);
  await drill.everywhere(list, isSeen);
  await pending;
  await drill.becomesWhole();
  return itemsOf(await drill.ask(list));
}

/** The run is finished with these steps, each once. */
async function passes(drill: Drill, { id }: Item, steps: readonly string[]): Promise<void> {
  const wanted = steps.join(' ');
  await drill.everywhere(
    `${runs}/${String(id)}`,
    (answer) => {
      const { steps: passed = [], status } = (answer?.body ?? {}) as { steps?: Item[]; status?: string };
      const names = passed.map(({ component }) => component).join(' ');
      const isRight = status === 'finished' && names === wanted;
      return isRight ? undefined : `expected ${wanted}, got ${names} (${textOf(answer)})`;
    },
    drill.noticedMs + 2 * answerMs + restMs,
  );
}

/** The runs of a script, with how many components each has begun. */
async function runsOf(drill: Drill, script: string): Promise<readonly Item[]> {
  return itemsOf(await drill.ask(`${runs}?${filterOf({ code: script })}&mask=id,status,passed`));
}
