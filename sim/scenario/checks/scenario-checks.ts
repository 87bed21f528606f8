/** Checks the names in a scenario against its topology and the scenario itself, and the structure of its blocks. */
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { expectedText } from '../../../src/model/shapes/nearest.ts';
import type { InputError } from '../../input/read-value.ts';
import type { EventMatcher } from '../language/event-matcher.ts';
import type { ScenarioFault } from '../language/fault-schema.ts';
import type { Expectation, ScenarioRequest } from '../language/request-schema.ts';
import type { Scenario } from '../language/scenario.ts';
import { type Branch, type ScenarioStep, stepLimits } from '../language/steps.ts';
import { referencesAt } from '../language/values.ts';
import type { Workload, WorkloadRequests, WorkloadStep } from '../language/workloads.ts';
import { coreOf } from '../run/core.ts';
import { isEndless } from '../run/step-runner.ts';
import { bodyErrors, exchangeErrors } from './bodies.ts';
import { trafficVerbs } from './fault-checks.ts';
import { unknownOperation } from './interface.ts';
import { checkMatcher, oracleProblem } from './matcher-names.ts';
import { Names } from './names.ts';
import { checkTargets, targetsOf } from './targets.ts';

interface Login {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

/** The first wrong field of credentials in a scenario, and the message: domain, login and password must be those of its topology. */
export function loginProblem(
  { domain, login, pwd }: Login,
  map: ClusterMap,
): { readonly field: keyof Login; readonly message: string } | undefined {
  const { users } = map.domains.get(domain) ?? {};
  if (users === undefined) {
    return { field: 'domain', message: expectedText('a domain', domain, map.domains.keys()) };
  }
  const logins = users.map((user) => user.login);
  const user = users.find((each) => each.login === login);
  if (user === undefined) {
    return { field: 'login', message: expectedText(`a user of ${domain}`, login, logins) };
  }
  if (user.pwd === pwd) return undefined;
  return {
    field: 'pwd',
    message: `expected the password that the topology has for ${login} of ${domain}, got "${pwd}"`,
  };
}

type Path = InputError['path'];

/** What earlier steps define for a step: saved values, named faults, changed paths. */
interface Known {
  readonly saved: Set<string>;
  readonly faults: Set<string>;
  /** Paths that earlier requests changed. */
  readonly changed: Set<string>;
  /** Nodes between which all traffic passes, because an earlier step has healed them. */
  readonly healed: Set<string>;
}

interface StepPlace {
  readonly path: Path;
  readonly known: Known;
  readonly depth: number;
  /** Whether the step is in a branch of a `parallel`. */
  readonly isBeside: boolean;
}

export function checkScenario(scenario: Scenario, map: ClusterMap): InputError[] {
  return new Checks(scenario, map).check();
}

class Checks {
  readonly #scenario: Scenario;
  readonly #map: ClusterMap;
  readonly #names: Names;
  /** Names in steps, which may refer to saved values. */
  readonly #stepNames: Names;
  readonly #faults: InputError[] = [];

  constructor(scenario: Scenario, map: ClusterMap) {
    this.#scenario = scenario;
    this.#map = map;
    this.#names = new Names(map, { areOpen: false });
    this.#stepNames = new Names(map, { areOpen: true });
  }

  check(): InputError[] {
    const { sessions, workload, steps, always, eventually, sometimes } = this.#scenario;
    for (const [name, session] of Object.entries(sessions)) {
      this.#front(session.through, ['sessions', name, 'through']);
      this.#login(session, ['sessions', name]);
    }
    if (workload !== undefined) this.#workload(workload, ['workload']);
    if (Array.isArray(always)) always.forEach((name, i) => void this.#problem(['always', i], oracleProblem(name)));
    const known: Known = { saved: new Set(), faults: new Set(), changed: new Set(), healed: new Set() };
    this.#steps(steps, { path: ['steps'], known, depth: 1, isBeside: false });
    eventually.forEach(({ request, look, seen, expect }, i) => {
      const path = ['eventually', i];
      this.#references({ request, expect }, path, known.saved);
      if (request !== undefined) this.#request(request, { path: [...path, 'request'], expect });
      if (request !== undefined) this.#exchange({ request, expect }, path);
      if (look !== undefined) this.#problem([...path, 'look'], this.#names.looked(look));
      this.#matcher(seen, [...path, 'seen']);
    });
    sometimes.forEach(({ seen }, i) => void this.#matcher(seen, ['sometimes', i, 'seen']));
    this.#promise(known);
    return this.#faults;
  }

  #report(path: Path, message: string): void {
    this.#faults.push({ path, message });
  }

  #promise({ faults, saved }: Known): void {
    const { promise } = this.#scenario;
    if (promise === undefined) return;
    const { of, request, agree } = promise;
    if (of !== undefined && !faults.has(of)) {
      this.#report(
        ['promise', 'of'],
        `expected the name of a fault (${[...faults].join(', ') || 'none'}), got "${of}"`,
      );
    }
    if (request !== undefined) {
      this.#references(request, ['promise', 'request'], saved);
      this.#request(request, { path: ['promise', 'request'] });
      this.#exchange({ request }, ['promise']);
    }
    agree?.through?.forEach((site, i) => void this.#front(site, ['promise', 'agree', 'through', i]));
    this.#session(agree?.as, ['promise', 'agree', 'as']);
    if (agree !== undefined) this.#operation({ method: 'GET', path: agree.path }, { path: ['promise', 'agree'] });
  }

  #steps(steps: readonly ScenarioStep[], place: StepPlace): void {
    if (place.depth > stepLimits.depth) {
      return this.#report(place.path, `expected at most ${stepLimits.depth} levels of blocks`);
    }
    let latestMs = 0;
    steps.forEach((step, i) => {
      const path = [...place.path, i];
      const { at = latestMs } = step;
      if (at < latestMs)
        this.#report(
          [...path, 'at'],
          `expected a time from ${latestMs / 1_000}s on, the time of an earlier step, got ${at / 1_000}s`,
        );
      latestMs = Math.max(latestMs, at);
      this.#step(step, { ...place, path });
    });
  }

  #step(step: ScenarioStep, place: StepPlace): void {
    const { path, known } = place;
    const { request, fault, dial, expect, workload, converge } = step;
    this.#references({ ...targetsOf(step), request: { ...request, save: {} }, expect, dial }, path, known.saved);
    for (const name of Object.keys(request?.save ?? {})) known.saved.add(name);
    for (const each of checkTargets(step, { names: this.#stepNames, activeFaults: known.faults })) {
      this.#report([...path, ...each.path], each.message);
    }
    if (request !== undefined) {
      this.#operationOf(request, { path: [...path, 'request'], expect });
      this.#exchange({ request, expect }, path);
      if (request.method !== 'GET') known.changed.add(request.path);
    }
    if (fault?.name !== undefined) known.faults.add(fault.name);
    if (fault !== undefined) this.#effective(fault, [...path, 'fault'], known);
    if (converge !== undefined) {
      const { core } = converge;
      for (const node of coreOf(this.#map, core === 'random' ? [] : core).nodes) known.healed.add(node);
    }
    if (workload !== undefined) this.#workload(workload, [...path, 'workload'], known.changed);
    if (!place.isBeside && isEndless([{ ...step, steps: undefined, repeat: undefined }])) {
      this.#report([...path, 'every'], 'expected "times" or "until": no other branch runs beside this step');
    }
    this.#blocks(step, place);
  }

  /** Reports traffic that a step is to harm after an earlier one has healed it for the rest of the run. */
  #effective(fault: ScenarioFault, path: Path, { healed }: Known): void {
    for (const verb of trafficVerbs) {
      const { from = '*', to = '*' } = fault[verb] ?? {};
      const places = [from, to];
      if (fault[verb] === undefined || places.some((place) => this.#stepNames.isOpen(place))) continue;
      if (places.some((place) => this.#stepNames.place(place) !== undefined)) continue;
      const nodes = new Set(places.flatMap((place) => this.#stepNames.nodesAt(place)));
      if (![...nodes].every((node) => healed.has(node))) continue;
      this.#report(
        [...path, verb],
        `expected traffic of a node outside the core: an earlier converge lets all traffic between ${[...healed].join(', ')} pass for the rest of the run`,
      );
    }
  }

  #blocks({ steps, parallel, repeat }: ScenarioStep, place: StepPlace): void {
    const { path, depth } = place;
    if (steps !== undefined) this.#steps(steps, { ...place, path: [...path, 'steps'], depth: depth + 1 });
    if (repeat !== undefined)
      this.#steps(repeat.steps, { ...place, path: [...path, 'repeat', 'steps'], depth: depth + 1 });
    if (parallel !== undefined) this.#branches(parallel, { ...place, path: [...path, 'parallel'] });
  }

  /**
   * A branch knows what came before the block. A step after the block knows what all its branches define, endless steps
   * excluded.
   */
  #branches(branches: readonly Branch[], place: StepPlace): void {
    const { path, known, depth } = place;
    const after = branches.map(({ steps }, i) => {
      const { changed, healed } = known;
      const within = { saved: new Set(known.saved), faults: new Set(known.faults), changed, healed: new Set(healed) };
      this.#steps(steps, { path: [...path, i, 'steps'], known: within, depth: depth + 1, isBeside: true });
      for (const name of endlessSaves(steps)) if (!known.saved.has(name)) within.saved.delete(name);
      return within;
    });
    if (branches.every(({ steps }) => isEndless(steps))) {
      this.#report(path, 'expected a branch that ends: each of these runs as long as the others');
    }
    for (const { saved, faults, healed } of after) {
      for (const node of healed) known.healed.add(node);
      for (const name of saved) known.saved.add(name);
      for (const name of faults) known.faults.add(name);
    }
  }

  /** Reports references to values that no earlier step saves. */
  #references(parts: Readonly<Record<string, unknown>>, path: Path, saved: ReadonlySet<string>): void {
    for (const { name, path: where } of referencesAt(parts)) {
      if (saved.has(name)) continue;
      this.#report([...path, ...where], expectedText('a name that an earlier step saves', name, saved));
    }
  }

  #request(
    request: Pick<ScenarioRequest, 'through' | 'as' | 'method' | 'path'>,
    { path, expect }: { readonly path: Path; readonly expect?: Expectation | undefined },
  ): void {
    this.#front(request.through, [...path, 'through']);
    this.#operationOf(request, { path, expect });
  }

  #operationOf(
    request: Pick<ScenarioRequest, 'as' | 'method' | 'path'>,
    { path, expect }: { readonly path: Path; readonly expect?: Expectation | undefined },
  ): void {
    this.#session(request.as, [...path, 'as']);
    this.#operation(request, { path, expect });
  }

  /** A request that expects an error may use a path that does not exist. */
  #operation(
    { method, path: asked }: Pick<ScenarioRequest, 'method' | 'path'>,
    { path, expect }: { readonly path: Path; readonly expect?: Expectation | undefined },
  ): void {
    if (expect?.status !== undefined && expect.status >= 400) return;
    const unknown = unknownOperation(method, asked);
    if (unknown !== undefined) this.#report([...path, unknown.field], unknown.message);
  }

  #exchange(exchange: Parameters<typeof exchangeErrors>[0], path: Path): void {
    for (const each of exchangeErrors(exchange)) this.#report([...path, ...each.path], each.message);
  }

  #login(credentials: Parameters<typeof loginProblem>[0], path: Path): void {
    const problem = loginProblem(credentials, this.#map);
    if (problem !== undefined) this.#report([...path, problem.field], problem.message);
  }

  /** Steps may have changed users, so a login need not match the topology then. */
  #workload(workload: Workload | WorkloadStep, path: Path, changed: ReadonlySet<string> = new Set()): void {
    const hasOtherUsers = [...changed].some((each) => /\/users(\/|$)/.test(each));
    if (workload === 'none') return;
    const { requests, logins, changes, commands, clients, subscribers } = workload;
    const parts = [
      ...(Array.isArray(requests) ? requests.map((part, i) => ({ part, at: ['requests', i] })) : []),
      ...(logins === undefined || logins === 'none' ? [] : [{ part: logins, at: ['logins'] }]),
      ...(Array.isArray(changes) ? changes.map((part, i) => ({ part, at: ['changes', i] })) : []),
      ...(commands === undefined || commands === 'none' ? [] : [{ part: commands, at: ['commands'] }]),
      ...(clients === undefined || clients === 'none' ? [] : [{ part: clients, at: ['clients'] }]),
    ];
    const follows = subscribers === undefined || subscribers === 'none' ? [] : subscribers.as;
    follows.forEach((name, i) => void this.#session(name, [...path, 'subscribers', 'as', i]));
    for (const { part, at } of parts) {
      part.through?.forEach((site, i) => void this.#front(site, [...path, ...at, 'through', i]));
      const as = 'as' in part ? part.as : undefined;
      if (Array.isArray(as)) as.forEach((name, i) => void this.#session(name, [...path, ...at, 'as', i]));
      else this.#session(as, [...path, ...at, 'as']);
      if ('domain' in part && !hasOtherUsers) this.#login(part, [...path, ...at]);
      if ('method' in part) this.#workloadPaths(part, [...path, ...at]);
    }
  }

  #workloadPaths({ method, path: one, mix, body }: WorkloadRequests, path: Path): void {
    for (const asked of one === undefined ? Object.keys(mix ?? {}) : [one]) {
      for (const each of bodyErrors({ method, path: asked, body })) this.#report([...path, ...each.path], each.message);
    }
    if (one !== undefined) this.#operation({ method, path: one }, { path });
    for (const each of Object.keys(mix ?? {})) {
      const unknown = unknownOperation(method, each);
      if (unknown !== undefined)
        this.#report([...path, ...(unknown.field === 'path' ? ['mix', each] : ['method'])], unknown.message);
    }
  }

  /** A site with a front. */
  #front(name: string, path: Path): void {
    this.#problem(path, this.#names.front(name));
  }

  #session(name: string | undefined, path: Path): void {
    const { sessions } = this.#scenario;
    if (name === undefined || Object.hasOwn(sessions, name)) return;
    const known = Object.keys(sessions).join(', ') || 'none';
    this.#report(path, `expected the name of a session (${known}), got "${name}"`);
  }

  #matcher(matcher: EventMatcher | undefined, path: Path): void {
    if (matcher === undefined) return;
    for (const problem of checkMatcher(matcher, this.#names)) this.#report([...path, ...problem.path], problem.message);
  }

  #problem(path: Path, problem: string | undefined): void {
    if (problem !== undefined) this.#report(path, problem);
  }
}

/** Values saved by endless steps. Their branch may end before such a step has run. */
function endlessSaves(steps: readonly ScenarioStep[]): string[] {
  return steps.filter((step) => isEndless([step])).flatMap(savedBy);
}

function savedBy({ request, steps = [], repeat, parallel = [] }: ScenarioStep): string[] {
  const within = [...steps, ...(repeat?.steps ?? []), ...parallel.flatMap((branch) => branch.steps)];
  return [...Object.keys(request?.save ?? {}), ...within.flatMap(savedBy)];
}
