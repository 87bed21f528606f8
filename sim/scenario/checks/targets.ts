/** The targets of a step: sites, nodes, role instances, phones and providers. `$name` refers to a saved value. */
import { faultText, type PathFault } from '../../input/read-value.ts';
import type { Sight } from '../language/observations.ts';
import type { ScenarioStep } from '../language/steps.ts';
import { NoName, referencesAt, type Values } from '../language/values.ts';
import { checkFault } from './faults.ts';
import type { Names } from './names.ts';
import { checkSight } from './observations.ts';

type Path = PathFault['path'];

/** The parts of a step that name its targets. */
export type Target = Pick<
  ScenarioStep,
  'request' | 'fault' | 'look' | 'dial' | 'hangUp' | 'converge' | 'when' | 'until'
>;

/** Targets of a step that the cluster does not have. `standing`: names of the faults that are active by then. */
export function checkTarget(
  { request, fault, look, dial, hangUp, converge, when, until }: Target,
  { names, standing }: { readonly names: Names; readonly standing: ReadonlySet<string> },
): PathFault[] {
  const { core } = converge ?? {};
  const said: readonly (readonly [path: Path, problem: string | undefined])[] = [
    [['request', 'through'], request && names.front(request.through)],
    [['look'], problemOf(look, (name) => names.outside(name))],
    [['dial', 'from'], problemOf(dial?.from, (name) => names.outside(name))],
    [['hangUp'], problemOf(hangUp, (name) => names.outside(name))],
    ...(Array.isArray(core) ? core.map((site, i) => [['converge', 'core', i], names.site(site)] as const) : []),
  ];
  return [
    ...said.flatMap(([path, message]) => (message === undefined ? [] : [{ path, message }])),
    ...(fault === undefined ? [] : checkFault(fault, { names, standing, path: ['fault'] })),
    ...sightProblems(when, 'when', names),
    ...(typeof until === 'object' ? sightProblems(until, 'until', names) : []),
  ];
}

function problemOf(name: string | undefined, ask: (name: string) => string | undefined): string | undefined {
  return name === undefined ? undefined : ask(name);
}

function sightProblems(sight: Sight | undefined, field: string, names: Names): PathFault[] {
  if (sight === undefined) return [];
  return checkSight(sight, names).map(({ path, message }) => ({ path: [field, ...path], message }));
}

/** A step whose targets are resolved. */
export interface Settled<W extends Target> {
  readonly step: W;
  /** The values that its targets referred to, as text: `$b2b is 214`. */
  readonly values: string;
  /** Resolved names that are not valid targets, one line each. */
  readonly problems: readonly string[];
}

/** Replaces the references in the targets of a step by saved values, and checks the result. */
export function settle<W extends Target>(step: W, values: Values, names: Names): Settled<W> {
  const whom = targetOf(step);
  if (referencesAt(whom).length === 0) return { step, values: '', problems: [] };
  const told = values.text(whom);
  try {
    const settled = withWhom(step, values.fillNames(whom));
    const problems = checkTarget(settled, { names, standing: new Set() });
    return {
      step: settled,
      values: told,
      problems: problems.map((each) => `${faultText(each)} (${told})`),
    };
  } catch (error) {
    if (!(error instanceof NoName)) throw error;
    return { step, values: told, problems: [faultText(error)] };
  }
}

/** The targets of a step: the parts in which `$name` may stand. */
export function targetOf({
  request,
  fault,
  look,
  dial,
  hangUp,
  converge,
  when,
  until,
}: Target): Readonly<Record<string, unknown>> {
  const { name: _name, mend: _mend, ...struck } = fault ?? {};
  return {
    ...(request !== undefined && { request: { through: request.through } }),
    ...(fault !== undefined && { fault: struck }),
    ...(look !== undefined && { look }),
    ...(dial !== undefined && { dial: { from: dial.from } }),
    ...(hangUp !== undefined && { hangUp }),
    ...(converge !== undefined && { converge: { core: converge.core } }),
    ...(when?.at !== undefined && { when: { at: when.at } }),
    ...(typeof until === 'object' && until.at !== undefined && { until: { at: until.at } }),
  };
}

function withWhom<W extends Target>(step: W, whom: Readonly<Record<string, unknown>>): W {
  const parts = Object.entries(whom).map(([field, part]) => {
    const before = step[field as keyof Target];
    return [field, typeof before === 'object' ? { ...before, ...(part as object) } : part];
  });
  return { ...step, ...Object.fromEntries(parts) };
}
