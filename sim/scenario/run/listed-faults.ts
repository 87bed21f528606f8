/** The faults that clients have injected into a world, by id and by name, until they are lifted. */
import { FaultError, fault } from '../../../src/model/fault.ts';
import { isoTime } from '../../../src/model/time.ts';
import { faultText, readValue } from '../../input/read-value.ts';
import { elsewhereText } from '../../outside/population.ts';
import { checkFault } from '../checks/fault-checks.ts';
import { Names } from '../checks/names.ts';
import { faultSchema, type ScenarioFault } from '../language/fault-schema.ts';
import { listed, type WrittenPlace } from '../language/places.ts';
import { FaultInjector, type FaultWorld } from './fault-injector.ts';

/** Limit of active faults: each is checked for every frame. */
const activeMax = 1_000;
const idForm = /^f\d+$/;

/** An active fault: its id, its begin, and the fault as the client wrote it. */
export interface ListedFault {
  readonly id: string;
  readonly since: string;
  readonly name?: string;
}

/** An injected fault. One that repairs, or that ends by itself, is not active. */
export interface InjectedFault {
  readonly id: string;
  readonly active: boolean;
}

/** @internal */
export class ListedFaults {
  readonly #world: FaultWorld;
  readonly #injector: FaultInjector;
  readonly #names: Names;
  /** Faults that may be active, in order. */
  readonly #injected = new Map<string, ListedFault>();
  #count = 0;

  constructor(world: FaultWorld) {
    this.#world = world;
    this.#injector = new FaultInjector(world);
    this.#names = new Names(world.map, { areOpen: false, isAdded: (name) => world.outside.phones(name).length > 0 });
  }

  list(): readonly ListedFault[] {
    const { active } = this.#injector;
    for (const id of this.#injected.keys()) if (!active.has(id)) this.#injected.delete(id);
    return [...this.#injected.values()];
  }

  /** Injects a fault as written, in the place of one of the same name. Rejects with an `invalid` fault. `at`: the place of the fault in the client's input. */
  async inject(written: unknown, at = 'fault'): Promise<InjectedFault> {
    const read = readValue(faultSchema, written);
    if (!read.isValid) throw invalid(read.faults.map((each) => faultText(each, at)).join('; '));
    this.#check(read.value);
    const before = this.list().find(({ name }) => name !== undefined && name === read.value.name);
    if (before !== undefined) await this.#injector.lift(before.id);
    const id = `f${++this.#count}`;
    this.#injected.set(id, { id, since: isoTime(this.#world.now()), ...(written as object) });
    await this.#injector.inject(read.value, id);
    return { id, active: this.#injector.active.has(id) };
  }

  /** Lifts the faults of an id or a name. Rejects with a `not_found` fault. */
  async lift(which: string): Promise<void> {
    const found = this.list().filter(({ id, name }) => id === which || name === which);
    if (found.length === 0) throw new FaultError(fault('not_found', this.#unknown(which)));
    await Promise.all(found.map(({ id }) => this.#injector.lift(id)));
  }

  liftAll(): Promise<void> {
    return this.#injector.liftAll();
  }

  #check(wanted: ScenarioFault): void {
    const { active, names } = this.#injector;
    const [problem] = checkFault(wanted, { names: this.#names, activeFaults: names, path: [] });
    if (problem !== undefined) throw invalid(`${problem.path.join('.')}: ${problem.message}`);
    const { nodes } = this.#world;
    const elsewhere = nodes && (elsewhereProblem(wanted, this.#names, nodes) ?? this.#outsideElsewhere(wanted));
    if (elsewhere !== undefined) throw new FaultError(fault('conflict', elsewhere));
    if (wanted.name !== undefined && idForm.test(wanted.name)) {
      throw invalid(`name: expected another form than that of an id, got "${wanted.name}"`);
    }
    if (active.size >= activeMax)
      throw new FaultError(fault('conflict', `${activeMax} faults are active, which is the limit: lift some`));
  }

  /** Why this process cannot inject a fault of phones and providers; `undefined` if it can. */
  #outsideElsewhere(wanted: ScenarioFault): string | undefined {
    const { outside, map } = this.#world;
    const acting = [
      ...(['silence', 'revive'] as const).map((verb) => ({ at: verb, who: wanted[verb] })),
      ...(['flapOutside', 'refuseRegister'] as const).map((verb) => ({ at: `${verb}.who`, who: wanted[verb]?.who })),
    ];
    for (const { at, who } of acting) {
      const isHere = (name: string) => [...outside.phones(name), ...outside.providers(name)].length > 0;
      const missing = listed(who).find((name) => !isHere(name));
      if (missing !== undefined) return `${at}: ${elsewhereText(map, missing)}`;
    }
    return undefined;
  }

  #unknown(which: string): string {
    const active = this.list().map(({ id, name }) => (name === undefined ? id : `${id} (${name})`));
    const there = active.length === 0 ? 'no fault is active' : `active: ${active.slice(0, 20).join(', ')}`;
    return `no active fault has the id or the name "${which.slice(0, 100)}"; ${there}`;
  }
}

function invalid(message: string): FaultError {
  return new FaultError(fault('invalid', message));
}

const onNodes = ['crash', 'restart', 'wipe', 'drain', 'pause', 'resume'] as const;
const onPlaces = ['skew', 'slowStore', 'fillStore'] as const;
const onTraffic = ['cut', 'hold', 'delay', 'lose', 'duplicate', 'flap'] as const;

/** Why a process that runs only the nodes `own` cannot inject a fault; `undefined` if it can. Its names exist. */
function elsewhereProblem(fault: ScenarioFault, names: Names, own: readonly string[]): string | undefined {
  const foreign = (place: WrittenPlace) => names.nodesAt(place).filter((node) => !own.includes(node));
  const acting = [
    ...onNodes.map((verb) => ({ at: verb, place: fault[verb] })),
    ...onPlaces.map((verb) => ({ at: `${verb}.at`, place: fault[verb]?.at })),
    { at: 'halfOpen.from', place: fault.halfOpen?.from },
  ];
  for (const { at, place } of acting) {
    const others = place === undefined ? [] : foreign(place);
    if (others.length > 0) return `${at}: ${adviceFor(others, own)}`;
  }
  for (const verb of onTraffic) {
    const { from = '*', to = '*' } = fault[verb] ?? {};
    const nodes = [...names.nodesAt(from), ...names.nodesAt(to)];
    if (fault[verb] !== undefined && !nodes.some((node) => own.includes(node)))
      return `${verb}: ${adviceFor(nodes, own)}`;
  }
  return undefined;
}

function adviceFor(others: readonly string[], own: readonly string[]): string {
  const named = others.slice(0, mostNames).join(', ');
  const more = others.length > mostNames ? ` and ${others.length - mostNames} more` : '';
  return `expected nodes of this process (${own.join(', ')}), got ${named}${more}, which other processes run: ask the control interface of those (strowger node ${others[0]} --control PORT)`;
}

const mostNames = 12;
