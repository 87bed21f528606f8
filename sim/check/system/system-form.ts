/** The form of the check of a system, and whether its names exist in its parts. */
import type { z } from 'zod';
import { expectedText } from '../../../src/model/shapes/nearest.ts';
import {
  BadCheck,
  badForm,
  count,
  event,
  fields,
  func,
  inspected,
  isObject,
  isText,
  listOf,
  machine,
  matching,
  milliseconds,
  namesOf,
  placeOf,
  positive,
  problemsOf,
  text,
} from '../kit/form.ts';
import { missingImplementations } from '../machine/machine-form.ts';
import { handledEvents, handles } from '../player/chart.ts';
import type { PartMessage, SystemCheck } from './system-check.ts';

const anything = matching(() => true, '');
const yes = matching((value) => typeof value === 'boolean', 'true or false');
const messageExample = "{ to: 'server', event: { type: 'asked' } }";
const message = fields({ to: text('the name of a part'), event, isReliable: yes.optional() }, messageExample);
const messages = listOf(message, `[${messageExample}]`);

const ownerEvent = fields(
  { event, times: positive, when: func('(view) => true').optional() },
  "{ event: { type: 'ask' }, times: 1 }",
);
const spawnForm = fields(
  { on: text('the type of an event'), input: func('(event, nowMs) => ({ … })').optional() },
  "{ on: 'asked' }",
);
const part = fields(
  {
    machine,
    input: anything.optional(),
    spawn: spawnForm.optional(),
    ownerEvents: listOf(ownerEvent, "[{ event: { type: 'ask' }, times: 1 }]").optional(),
  },
  '{ machine }',
);

const bounds = { depth: positive.optional(), states: positive.optional(), healedWithinMs: milliseconds.optional() };
const boundExample = '{ depth: 20, states: 10000, healedWithinMs: 60000 }';
const boundForm = fields(bounds, boundExample);

const shape = {
  name: text("a text, such as 'client+server'"),
  parts: namesOf(part, '{ client: { machine: client }, server: { machine: server } }'),
  onCommand: func('({ from, command, view }) => messages, such as [{ to, event }]'),
  onStateChange: func('({ part, before, after }) => messages').optional(),
  onArrival: func('(message, view) => messages').optional(),
  channel: fields(
    { losses: count, duplicates: count, inFlight: positive, latencyMs: milliseconds },
    '{ losses: 1, duplicates: 1, inFlight: 3, latencyMs: 500 }',
  ),
  rules: namesOf(
    func('(view) => boolean or a text that says what is wrong'),
    "{ 'it answers once': (view) => view.count('server', 'answer') <= 1 }",
  ).optional(),
  agree: func('(view) => true, false, or a text that names the difference'),
  mend: messages.optional(),
  relative: namesOf(
    namesOf(func('(view) => number'), '{ sentMs: (view) => view.nowMs }'),
    '{ client: { … } }',
  ).optional(),
  counted: listOf(text("a part and a command, such as 'server answer'"), "['server answer']").optional(),
  scenario: func('(move) => []').optional(),
  bound: boundForm.optional(),
} satisfies Record<keyof SystemCheck, z.ZodType>;

const systemForm = fields(shape, '{ name, parts, onCommand, channel, agree }');

/** Throws a `BadCheck` for an invalid form, before anything runs. */
export function expectSystemCheck(given: unknown, bound: unknown): void {
  const name = isObject(given) && isText(given['name']) ? ` of ${given['name']}` : '';
  const form = problemsOf(systemForm, given);
  const problems = form.length > 0 ? form : [...partsAmiss(given as SystemCheck), ...namesAmiss(given as SystemCheck)];
  const limits = problemsOf(boundForm, bound).map((line) => `the bound: ${line}`);
  if (problems.length + limits.length > 0) throw badForm(`exploreExhaustively${name}`, [...problems, ...limits]);
}

function partsAmiss({ parts }: SystemCheck): string[] {
  return Object.entries(parts).flatMap(([name, { machine: its }]) =>
    missingImplementations(its).map((line) => `${placeOf(['parts', name])}.${line}`),
  );
}

function ownerEventsAmiss(parts: SystemCheck['parts']): string[] {
  return Object.entries(parts).flatMap(([name, { machine: its, ownerEvents = [], spawn }]) =>
    ownerEvents.flatMap(({ event: { type } }, index) => {
      if (type === spawn?.on || handles(its, type)) return [];
      const place = placeOf(['parts', name, 'ownerEvents', index, 'event', 'type']);
      return [`${place}: ${expectedText('an event', type, handledEvents(its))}`];
    }),
  );
}

function namesAmiss({ parts, mend = [], counted = [], relative = {} }: SystemCheck): string[] {
  const known = Object.keys(parts);
  const unlessPart = (place: string, name: string) =>
    known.includes(name) ? [] : [`${place}: ${expectedText('a part', name, known)}`];
  return [
    ...ownerEventsAmiss(parts),
    ...mend.flatMap(({ to }, index) => unlessPart(`mend[${index}].to`, to)),
    ...Object.keys(relative).flatMap((name) => unlessPart('relative', name)),
    ...counted.flatMap((name, index) => {
      const isSound = known.some((each) => name.startsWith(`${each} `) && name.length > each.length + 1);
      const example = `${known[0] ?? 'client'} ask`;
      return isSound
        ? []
        : [
            `counted[${index}]: expected a part (${known.join(', ')}) and a command, such as '${example}', got ${inspected(name)}`,
          ];
    }),
  ];
}

/** Checks the messages that `onCommand`, `onStateChange` and `onArrival` return; an error names the function (`by`). */
export function expectMessages(
  given: unknown,
  { names, by }: { readonly names: ReadonlySet<string>; readonly by: string },
): readonly PartMessage[] {
  if (Array.isArray(given) && given.every((each) => isPartMessage(each, names))) return given;
  const problems = problemsOf(messages, given);
  const to =
    problems.length > 0 ? undefined : (given as readonly PartMessage[]).find((each) => !names.has(each.to))?.to;
  const problem = problems[0] ?? expectedText('a message to a part', String(to), names);
  throw new BadCheck(`${by}: its result: ${problem}`);
}

function isPartMessage(given: unknown, known: ReadonlySet<string>): boolean {
  return (
    isObject(given) && known.has(String(given['to'])) && isObject(given['event']) && isText(given['event']['type'])
  );
}
