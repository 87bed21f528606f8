/**
 * The plan of a scenario: everything known before the run, with its topology, its times and the targets of its faults.
 */
import { nodeOf } from '../../src/model/cluster/address.ts';
import type { ClusterMap, NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import { membersOf, unknownIn } from '../faults/places.ts';
import { oracles, oraclesAmong } from '../oracles/all.ts';
import { namesOutside } from '../outside/population.ts';
import { placeNames } from './checks/names.ts';
import { targetsOf } from './checks/targets.ts';
import {
  describe,
  describeAction,
  describeExpectation,
  describeMatcher,
  describeWorkload,
  shown,
} from './language/describe.ts';
import { isSelector, placeText, type Selector, selected } from './language/places.ts';
import type { Saved } from './language/request-schema.ts';
import type { Scenario } from './language/scenario.ts';
import { type Converge, leavesIn, type ScenarioStep } from './language/steps.ts';
import { likeText, referencesIn } from './language/values.ts';
import type { LoadedScenario } from './load-scenario.ts';
import { coreOf, drawCore } from './run/core.ts';

export interface PlannedStep {
  /** Position in the tree of steps, from 1: `3.1.2`. */
  readonly path: string;
  /** Earliest begin in milliseconds since the cluster was ready; `undefined` if it depends on the run. */
  readonly atMs: number | undefined;
  /** The condition under which it begins; `undefined` if it begins right after the step before it. */
  readonly when: string | undefined;
  readonly what: string;
  /** Targets of a fault, if they are known before the run. */
  readonly targets: readonly string[];
  /** What is expected of the result. */
  readonly expects: string | undefined;
  /** The values that it saves from the answer. */
  readonly saves: readonly string[];
  readonly steps: readonly PlannedStep[];
}

export interface Plan {
  readonly name: string;
  readonly why: string;
  readonly seed: number;
  readonly topology: {
    readonly name: string;
    readonly sites: readonly { readonly name: string; readonly nodes: readonly string[] }[];
    readonly domains: readonly string[];
    readonly phones: number;
  };
  readonly sessions: readonly string[];
  readonly workload: readonly string[];
  readonly holds: readonly string[];
  readonly steps: readonly PlannedStep[];
  /** Number of steps; blocks are not counted. */
  readonly stepCount: number;
}

export function planOf({ scenario, map }: LoadedScenario, seed: number): Plan {
  const { name, why, sessions, workload } = scenario;
  return {
    name,
    why,
    seed,
    topology: {
      name: topologyName(scenario, map),
      sites: [...map.sites.values()].map((site) => ({ name: site.name, nodes: site.nodes.map(nodeText) })),
      domains: [...map.domains.keys()],
      phones: map.topology.domains.flatMap(({ sipusers }) => sipusers).reduce((sum, { phones }) => sum + phones, 0),
    },
    sessions: Object.entries(sessions).map(
      ([as, { login, domain, through }]) => `${as}: ${login} at ${domain}, through ${through}`,
    ),
    workload: workload === undefined ? [] : describeWorkload(workload),
    holds: holdsOf(scenario),
    steps: new Planner(map, seed).steps(scenario.steps, { atMs: 0, path: [] }).steps,
    stepCount: leavesIn(scenario.steps).length,
  };
}

function nodeText({ name, instances }: NodeEntry): string {
  return `${name} (${instances.map((instance) => instance.name).join(', ')})`;
}

function holdsOf({ always, useCases, drills, eventually, sometimes, promise }: Scenario): string[] {
  const named = Array.isArray(always) ? always : [];
  const rules = named.map((name) => `always ${name}: ${oracles.find((oracle) => oracle.name === name)?.rule ?? ''}`);
  const count = oraclesAmong({ useCases: Number(useCases) > 0, drills: drills > 0 }).length;
  const all = always === undefined || always === 'all' ? [`always: none of the ${count} oracles fails`] : [];
  return [
    ...all,
    ...rules,
    ...eventually.map(({ name, within }) => `eventually within ${seconds(within)}: ${name}`),
    ...sometimes.map(({ name, seen }) => `sometimes ${name}: ${describeMatcher(seen)}`),
    ...(['detect', 'failOver', 'recover'] as const).flatMap((part) => {
      const ms = promise?.[part];
      return ms === undefined
        ? []
        : [`promise ${part}${promise?.of === undefined ? '' : ` of "${promise.of}"`}: ${seconds(ms)}`];
    }),
  ];
}

interface PlanPosition {
  /** `undefined` once the time depends on the run. */
  readonly atMs: number | undefined;
  readonly path: readonly number[];
}

class Planner {
  readonly #map: ClusterMap;
  readonly #seed: number;
  /** The step that saves each value, so far. */
  readonly #saved = new Map<string, string>();

  constructor(map: ClusterMap, seed: number) {
    this.#map = map;
    this.#seed = seed;
  }

  /** The planned steps and the time at which they end. */
  steps(
    steps: readonly ScenarioStep[],
    { atMs, path }: PlanPosition,
  ): { steps: PlannedStep[]; endMs: number | undefined } {
    let [endMs, planned]: [number | undefined, PlannedStep[]] = [atMs, []];
    for (const [i, step] of steps.entries()) {
      const one = this.#step(step, { atMs: endMs, path: [...path, i + 1] });
      planned = [...planned, one.step];
      endMs = one.endMs;
    }
    return { steps: planned, endMs };
  }

  #step(step: ScenarioStep, { atMs, path }: PlanPosition): { step: PlannedStep; endMs: number | undefined } {
    const { at, when, note, expect } = step;
    // Earlier steps may take longer than planned; then a step with a fixed time starts late.
    const beginMs = when !== undefined ? undefined : at === undefined ? atMs : Math.max(at, atMs ?? 0);
    const { steps, endMs } = this.#inner(step, { atMs: beginMs, path });
    const isBlock = blockKinds.some((kind) => step[kind] !== undefined);
    const saved = Object.entries(step.request?.save ?? {}).map(([name, each]) => [name, savedText(each)] as const);
    const planned = {
      path: path.join('.'),
      atMs: beginMs,
      when: timesText(step),
      what: isBlock || note === undefined ? describe(step) : `${note}: ${describeAction(step)}`,
      targets: this.#targetsOf(step),
      expects: expect === undefined ? undefined : describeExpectation(expect),
      saves: saved.map(([name, from]) => `$${name} from ${from}`),
      steps,
    };
    for (const [name] of saved) this.#saved.set(name, planned.path);
    return { step: planned, endMs: endOf(step, { beginMs, onceMs: endMs }) };
  }

  #inner(
    { steps, parallel, repeat }: ScenarioStep,
    place: PlanPosition,
  ): { steps: PlannedStep[]; endMs: number | undefined } {
    if (steps !== undefined) return this.steps(steps, place);
    if (repeat !== undefined) return { ...this.steps(repeat.steps, place), endMs: undefined };
    if (parallel === undefined) return { steps: [], endMs: place.atMs };
    const branches = parallel.map((branch, i) => ({
      branch,
      ...this.steps(branch.steps, { ...place, path: [...place.path, i + 1] }),
    }));
    const ends = branches.map(({ endMs }) => endMs);
    return {
      steps: branches.map(({ branch, steps: planned }, i): PlannedStep => {
        const about = { when: undefined, targets: [], expects: undefined, saves: [] };
        const what = branch.note ?? `branch ${i + 1}`;
        return { path: [...place.path, i + 1].join('.'), atMs: place.atMs, what, steps: planned, ...about };
      }),
      endMs: ends.every((end) => end !== undefined) ? Math.max(...ends) : undefined,
    };
  }

  /** The target of a step, in the words of the topology. */
  #targetsOf(step: ScenarioStep): string[] {
    const { fault: struck, ...others } = targetsOf(step);
    const isKnown = (part: unknown) => referencesIn(part).length === 0;
    return [
      ...(step.converge === undefined ? [] : [this.#core(step.converge)]),
      ...[...new Set(namesIn(struck))].filter(isKnown).flatMap((name) => this.#named(name)),
      ...selectorsIn(struck)
        .filter(isKnown)
        .map((place) => placeText(this.#map, place)),
      ...[...namesIn([struck, others]), ...selectorsIn(struck)]
        .filter((part) => !isKnown(part))
        .map((part) => this.#open(part)),
    ];
  }

  #core({ core }: Converge): string {
    if (core !== 'random' && referencesIn(core).length > 0) return `core: ${core.join(', ')}`;
    const { sites } = core === 'random' ? drawCore(this.#map, this.#seed) : coreOf(this.#map, core);
    return `core: ${[...sites].join(', ')}`;
  }

  #named(name: string): string[] {
    const site = this.#map.sites.get(name);
    if (site !== undefined) return [`site ${name}: nodes ${site.nodes.map((node) => node.name).join(', ')}`];
    const node = this.#map.nodes.get(name);
    if (node !== undefined)
      return [`node ${node.address}: ${node.instances.map((instance) => instance.name).join(', ')}`];
    const { instances } = unknownIn(this.#map, name) === undefined ? membersOf(this.#map, name) : { instances: [] };
    return instances.map(({ address }) => `${address} on node ${nodeOf(address)}`);
  }

  /** A target that only the run knows: which step saves it, and what it may be. */
  #open(part: string | Selector): string {
    const names = [...new Set(referencesIn(part))];
    const sources = names.map((name) => `$${name}: saved by step ${this.#saved.get(name) ?? '?'}`).join(', ');
    const isAny = part === `$${names[0]}`;
    return `${shown(part)}${isAny ? '' : `, one of ${shortList(this.#likely(part))}`} (${sources})`;
  }

  #likely(part: string | Selector): readonly string[] {
    if (typeof part === 'string') return likeText(part, [...placeNames(this.#map), ...namesOutside(this.#map)]);
    const known = Object.entries(part).filter(([, names]) => referencesIn(names).length === 0);
    const isOfNodes = part.role === undefined && part.instance === undefined;
    return isOfNodes
      ? selected(this.#map, Object.fromEntries(known))
      : selected(this.#map, {
          instance: [...this.#map.instances.values()].map(({ name }) => name),
          ...Object.fromEntries(known),
        });
  }
}

function shortList(names: readonly string[]): string {
  const most = 8;
  return `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
}

const blockKinds = ['steps', 'parallel', 'repeat'] as const;

/** When a step ends, if that is known before the run; `onceMs`: when one round of it ends. */
function endOf(
  { every, times, expect, request, converge, wait = 0 }: ScenarioStep,
  { beginMs, onceMs }: { beginMs: number | undefined; onceMs: number | undefined },
): number | undefined {
  if (beginMs === undefined) return undefined;
  if (every !== undefined) return times === undefined ? undefined : beginMs + (times - 1) * every;
  const isOpen = request !== undefined || converge !== undefined || expect?.within !== undefined;
  return isOpen || onceMs === undefined ? undefined : onceMs + wait;
}

/** A patched topology does not go by the name of its base. */
export function topologyName({ topology }: Scenario, map: ClusterMap): string {
  const isChanged = typeof topology === 'object' && 'set' in topology;
  return `${map.topology.name}${isChanged ? ', changed' : ''}`;
}

function savedText(saved: Saved): string {
  if (typeof saved === 'string') return saved;
  return `${saved.from}, the part that matches ${saved.match}`;
}

/** All strings in a part of a fault, selectors excluded. */
function namesIn(part: unknown): string[] {
  if (typeof part === 'string') return [part];
  if (typeof part !== 'object' || part === null || isSelector(part)) return [];
  return Object.values(part).flatMap(namesIn);
}

function selectorsIn(part: unknown): Selector[] {
  if (typeof part !== 'object' || part === null) return [];
  return isSelector(part) ? [part] : Object.values(part).flatMap(selectorsIn);
}

function timesText({ when, every, times, until }: ScenarioStep): string | undefined {
  const parts = [
    when && `when ${describeMatcher(when)} is seen, within ${seconds(when.within)}`,
    every !== undefined && `every ${seconds(every)}`,
    times !== undefined && `${times} times`,
    typeof until === 'number' && `until ${seconds(until)}`,
    typeof until === 'object' && `until ${describeMatcher(until)} is seen`,
    every !== undefined && times === undefined && until === undefined && 'as long as the other branches run',
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(', ');
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}
