/** The form of the check of a machine, and whether its names exist in the machine. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { z } from 'zod';
import { expectedText, hintText, knownText, nearest } from '../../../src/model/shapes/nearest.ts';
import {
  badForm,
  count,
  event,
  fields,
  func,
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
import { actorOf, anySpawned, invokedBy } from '../player/actors.ts';
import { allStates, handledEnds, handledEvents, handles } from '../player/chart.ts';
import type { AnyCheck } from './machine-check.ts';

const maker = matching(
  (value) => value === true || typeof value === 'function',
  'true, or a function that makes the fields of the event, ({ pick }) => ({ status: pick.from([200, 486]) })',
);
const reason = text('a text that gives the reason');
const eventTypes = matching(
  (value) => value === '*' || (Array.isArray(value) && value.every(isText)),
  "a list of events, such as ['answer'], or '*' for all that it does not decide",
);
const step = matching(
  (value) => (typeof value === 'number' && value >= 0) || (isObject(value) && isText(value['type'])),
  "an event, such as { type: 'coin' }, or milliseconds",
);
const ending = "{ events: [{ type: 'stop' }], waitMs: 5000, states: ['stopped'] }";
const undecided = "{ events: ['answer'], why: 'no call was made' }";

const shape = {
  machine,
  name: text("a text, such as 'turnstile'").optional(),
  events: namesOf(maker, '{ coin: true, push: true }'),
  input: func('(pick) => ({ … }), the input of the machine').optional(),
  stamp: func('(event, nowMs) => ({ ...event, atMs: nowMs })').optional(),
  rules: namesOf(
    func('(run) => boolean or a text that says what is wrong'),
    "{ 'it is open at most once': ({ count }) => count('open') <= 1 }",
  ).optional(),
  model: func('(input) => (step) => undefined or a text that says what is wrong').optional(),
  once: listOf(text("the type of a command, such as 'open'"), "['open']").optional(),
  last: text("the type of a command, such as 'close'").optional(),
  longestMs: milliseconds.optional(),
  finally: fields(
    {
      events: listOf(event, "[{ type: 'stop' }]").optional(),
      waitMs: milliseconds,
      states: listOf(text("the path of a state, such as 'stopped'"), "['stopped']"),
    },
    ending,
  ).optional(),
  undecided: namesOf(fields({ events: eventTypes, why: reason }, undecided), `{ closed: ${undecided} }`).optional(),
  far: listOf(listOf(step, "[{ type: 'coin' }, 5000]"), "[[{ type: 'coin' }, 5000]]").optional(),
  unreachable: namesOf(reason, "{ 'closed × coin [isBroken]': 'why' }").optional(),
  restore: func('(persisted) => persisted').optional(),
  scenario: func('(event) => []').optional(),
} satisfies Record<keyof AnyCheck, z.ZodType>;

const checkForm = fields(shape, '{ machine, events: { coin: true } }');

const optionsForm = fields(
  {
    runs: positive.optional(),
    seed: count.optional(),
    path: matching((value) => typeof value === 'string', "a path, such as 'plain:12:0:3'").optional(),
  },
  '{ runs: 100, seed: 1 }',
);

/** Throws a `BadCheck` for an invalid form, before anything runs. */
export function expectMachineCheck(given: unknown, by: string): asserts given is AnyCheck {
  const problems = problemsOf(checkForm, given);
  if (problems.length > 0) throw badForm(`${by}${ofMachine(given)}`, problems);
  const check = given as AnyCheck;
  const names = [...missingImplementations(check.machine), ...namesAmiss(check)];
  if (names.length > 0) throw badForm(`${by}${ofMachine(given)}`, names);
}

export function expectOptions(given: unknown, by: string): void {
  const problems = problemsOf(optionsForm, given);
  if (problems.length > 0) throw badForm(`${by}, its options`, problems);
}

function ofMachine(given: unknown): string {
  if (!isObject(given)) return '';
  const { name, machine: made } = given;
  const id = isText(name) ? name : isObject(made) ? made['id'] : undefined;
  return isText(id) ? ` of ${id}` : '';
}

/** Names without effect: an unknown final state, or an event that no state handles. */
function namesAmiss(check: AnyCheck): string[] {
  const { machine: checked, far = [], finally: ending } = check;
  const states = allStates(checked);
  const known = new Set(states);
  const ends = (ending?.states ?? []).flatMap((state, index) => {
    const wrong = state.split(' + ').find((part) => !known.has(part));
    if (wrong === undefined) return [];
    return [`finally.states[${index}]: ${expectedText('a state', wrong, states)}`];
  });
  const ownerEvents = (ending?.events ?? []).flatMap((each, index) =>
    unknownEvent(check, each, ['finally', 'events', index]),
  );
  const farther = far.flatMap((path, row) =>
    path.flatMap((each, index) => (typeof each === 'number' ? [] : unknownEvent(check, each, ['far', row, index]))),
  );
  return [...ends, ...ownerEvents, ...farther, ...unknownActors(check)];
}

/** Ends of actors that do not exist. */
function unknownActors({ machine: checked, events }: AnyCheck): string[] {
  const known = handledEnds(checked);
  const invoked = new Set(invokedBy(checked).map(({ id }) => id));
  return Object.keys(events).flatMap((type) => {
    const id = actorOf(type);
    if (id === undefined || id === anySpawned || invoked.has(id) || known.some((each) => isLike(type, each))) return [];
    const hint = hintText(nearest(type, known));
    return [
      `${placeOf(['events', type])}: no actor "${id}" is invoked, and nothing handles this ${knownText(type, known)}${hint}`,
    ];
  });
}

/** Implementations that a chart names but does not have. XState reports them only when it needs them. */
export function missingImplementations({ root, implementations }: AnyStateMachine): string[] {
  const { actors, delays } = implementations;
  const names = (node: AnyStateNode): string[] => [
    ...node.invoke.flatMap(({ src }) => {
      const name = String(src);
      if (name.startsWith('xstate.invoke.') || name in actors) return [];
      return [
        `machine: ${stateText(node)} invokes "${name}", which has no implementation: machine.provide(${provided('actors', name)})`,
      ];
    }),
    ...node.after.flatMap(({ delay }) => {
      if (typeof delay !== 'string' || delay in delays || !Number.isNaN(Number(delay))) return [];
      return [
        `machine: ${stateText(node)} waits for "${delay}", which is not a delay: machine.provide(${provided('delays', delay)})`,
      ];
    }),
    ...Object.values(node.states).flatMap(names),
  ];
  return names(root);
}

const provided = (kind: string, name: string) =>
  `{ ${kind}: { ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`}: … } }`;
const stateText = ({ path }: AnyStateNode) => (path.length === 0 ? 'it' : path.join('.'));
const isLike = (type: string, known: string) =>
  known === type || (known.endsWith('*') && type.startsWith(known.slice(0, -1)));

function unknownEvent(
  { machine: checked, events }: AnyCheck,
  { type }: { readonly type: string },
  path: readonly PropertyKey[],
): string[] {
  if (type in events || handles(checked, type)) return [];
  const names = [...new Set([...Object.keys(events), ...handledEvents(checked)])];
  return [`${placeOf([...path, 'type'])}: ${expectedText('an event', type, names)}`];
}
