/** The targets of a step: sites, nodes, role instances, phones and providers. `$name` refers to a saved value. */
import { faultText, type InputError } from '../../input/read-value.ts';
import type { EventMatcher } from '../language/event-matcher.ts';
import type { ScenarioStep } from '../language/steps.ts';
import { InvalidName, referencesAt, type Values } from '../language/values.ts';
import { checkFault } from './fault-checks.ts';
import { checkMatcher } from './matcher-names.ts';
import type { Names } from './names.ts';

type Path = InputError['path'];

/** The parts of a step that name its targets. */
export type StepTargets = Pick<
  ScenarioStep,
  'request' | 'fault' | 'look' | 'dial' | 'press' | 'hangUp' | 'converge' | 'when' | 'until'
>;

/** Targets of a step that the cluster does not have. `activeFaults`: names of the faults that are active by then. */
export function checkTargets(
  { request, fault, look, dial, press, hangUp, converge, when, until }: StepTargets,
  { names, activeFaults }: { readonly names: Names; readonly activeFaults: ReadonlySet<string> },
): InputError[] {
  const { core } = converge ?? {};
  const said: readonly (readonly [path: Path, problem: string | undefined])[] = [
    [['request', 'through'], request && names.front(request.through)],
    [['look'], problemOf(look, (name) => names.looked(name))],
    [['dial', 'from'], problemOf(dial?.from, (name) => names.outside(name))],
    [['press', 'from'], problemOf(press?.from, (name) => names.outside(name))],
    [['hangUp'], problemOf(hangUp, (name) => names.outside(name))],
    ...(Array.isArray(core) ? core.map((site, i) => [['converge', 'core', i], names.site(site)] as const) : []),
  ];
  return [
    ...said.flatMap(([path, message]) => (message === undefined ? [] : [{ path, message }])),
    ...(fault === undefined ? [] : checkFault(fault, { names, activeFaults, path: ['fault'] })),
    ...matcherProblems(when, 'when', names),
    ...(typeof until === 'object' ? matcherProblems(until, 'until', names) : []),
  ];
}

function problemOf(name: string | undefined, ask: (name: string) => string | undefined): string | undefined {
  return name === undefined ? undefined : ask(name);
}

function matcherProblems(matcher: EventMatcher | undefined, field: string, names: Names): InputError[] {
  if (matcher === undefined) return [];
  return checkMatcher(matcher, names).map(({ path, message }) => ({ path: [field, ...path], message }));
}

/** A step whose targets are resolved. */
export interface ResolvedStep<W extends StepTargets> {
  readonly step: W;
  /** The values that its targets referred to, as text: `$b2b is 214`. */
  readonly values: string;
  /** Resolved names that are not valid targets, one line each. */
  readonly problems: readonly string[];
}

/** Replaces the references in the targets of a step by saved values, and checks the result. */
export function resolveTargets<W extends StepTargets>(step: W, values: Values, names: Names): ResolvedStep<W> {
  const targets = targetsOf(step);
  if (referencesAt(targets).length === 0) return { step, values: '', problems: [] };
  const valuesText = values.text(targets);
  try {
    const resolved = withTargets(step, values.fillNames(targets));
    const problems = checkTargets(resolved, { names, activeFaults: new Set() });
    return {
      step: resolved,
      values: valuesText,
      problems: problems.map((each) => `${faultText(each)} (${valuesText})`),
    };
  } catch (error) {
    if (!(error instanceof InvalidName)) throw error;
    return { step, values: valuesText, problems: [faultText(error)] };
  }
}

/** The targets of a step: the parts in which `$name` may stand. */
export function targetsOf({
  request,
  fault,
  look,
  dial,
  press,
  hangUp,
  converge,
  when,
  until,
}: StepTargets): Readonly<Record<string, unknown>> {
  const { name: _name, mend: _mend, ...struck } = fault ?? {};
  return {
    ...(request !== undefined && { request: { through: request.through } }),
    // What is lifted is named, and strikes nothing.
    ...(Object.keys(struck).length > 0 && { fault: struck }),
    ...(look !== undefined && { look }),
    ...(dial !== undefined && { dial: { from: dial.from } }),
    ...(press !== undefined && { press: { from: press.from } }),
    ...(hangUp !== undefined && { hangUp }),
    ...(converge !== undefined && { converge: { core: converge.core } }),
    ...(when?.at !== undefined && { when: { at: when.at } }),
    ...(typeof until === 'object' && until.at !== undefined && { until: { at: until.at } }),
  };
}

function withTargets<W extends StepTargets>(step: W, targets: Readonly<Record<string, unknown>>): W {
  const parts = Object.entries(targets).map(([field, part]) => {
    const before = step[field as keyof StepTargets];
    return [field, typeof before === 'object' ? { ...before, ...(part as object) } : part];
  });
  return { ...step, ...Object.fromEntries(parts) };
}
